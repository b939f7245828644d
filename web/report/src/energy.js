// SPDX-License-Identifier: Apache-2.0
// Where the energy is, and where the power flows: stored energy over time, the flow at one time, powers over time.
import {quantityText} from '../../shared/units.js';
import {button, html, icon, of, onWidth, svg} from './dom.js';
import {addGroup, colorOf, component, domainClass, markIn} from './mark.js';
import {axes, chart, curveColor, leftFor, rangeOf, rightFor, valueAt} from './plot.js';
import {hideTip, tip} from './tip.js';

const gap = 38;  // room for a name over a box
const boxWide = 15;

/** Three digits are enough for what is read beside a picture. */
const siText = (x, unit) => quantityText(Number.isFinite(x) ? Number(x.toPrecision(3)) : 0, unit);

/** Stored energy, one area on the other; what is negative goes down from zero. */
function stacked(times, stored, {title, follow}) {
  const room = html('div', {class: 'plot-room'});
  const count = times.length;
  const [ups, downs] = [new Float64Array(count), new Float64Array(count)];
  const layers = stored.map(({component: id, name, values}, k) => {
    const [from, to] = [new Float64Array(count), new Float64Array(count)];
    for (let t = 0; t < count; ++t) {
      const value = values[t] ?? 0;
      const side = value < 0 ? downs : ups;
      from[t] = side[t];
      side[t] += value;
      to[t] = side[t];
    }
    return {id, name: name ?? id, values, from, to, color: curveColor(k)};
  });
  const outputs = layers.map(() => html('output'));
  let [line, scales, box, at] = [];
  const cursor = (time) => {
    at = time;
    if (line && time !== undefined) line.setAttribute('d', `M${scales.toX(time).toFixed(1)} ${box.top}V${box.bottom}`);
    layers.forEach(({values}, k) => outputs[k].textContent = time === undefined ? '' : siText(valueAt(times, values, time) ?? 0, 'J'));
  };
  onWidth(room, (width) => {
    const height = 220;
    const y = rangeOf([ups, downs, [0]]);
    if (y[0] < 0 && downs.every((value) => value === 0)) y[0] = 0;
    const left = Math.min(leftFor([y], 'J', height), 90);
    const x = [times[0], Math.max(times[count - 1], times[0] + 1e-12)];
    box = {left, right: rightFor(x, 's', left, width), top: 26, bottom: 26 + height, x, y, unit: 'J', below: 'time', xUnit: 's'};
    const drawing = svg('svg', {viewBox: `0 0 ${width} ${box.bottom + 42}`, role: 'img', 'aria-label': title});
    scales = axes(drawing, box);
    // No more points than pixels.
    const step = Math.max(1, Math.floor(count / (2 * width)));
    const picked = Array.from({length: count}, (_, k) => k).filter((k) => k % step === 0 || k === count - 1);
    for (const {id, from, to, color} of layers) {
      const point = (list) => (k) => `${scales.toX(times[k]).toFixed(1)} ${scales.toY(list[k]).toFixed(1)}`;
      drawing.append(svg('path', {...of(id), class: 'area', style: `--color: ${color}`, d: `M${picked.map(point(to)).join('L')}L${[...picked].reverse().map(point(from)).join('L')}z`}));
    }
    line = svg('path', {class: 'cursor', d: ''});
    drawing.append(line);
    room.replaceChildren(drawing);
    markIn(room);
    cursor(at);
  });
  room.addEventListener('pointermove', (event) => {
    if (!scales) return;
    const part = (event.clientX - room.getBoundingClientRect().left - box.left) / (box.right - box.left);
    follow(times[0] + Math.min(Math.max(part, 0), 1) * (times[count - 1] - times[0]));
  });
  const legend = html('div', {class: 'legend curves'}, ...layers.map(({id, name, color}, k) => html('span', {class: 'entry', ...of(id)},
      html('i', {class: 'patch', style: `--color: ${color}`}), html('span', {class: 'name'}, name), outputs[k])));
  return {figure: html('figure', {class: 'plot'}, html('figcaption', {}, title), room, legend), cursor};
}

const domainNames = ['electrical', 'rotational', 'translational', 'hydraulic', 'thermal', 'signal', 'mechanics'];

/** By its name, or by what most of its components have in common. */
function islandColor({name, components}) {
  const named = domainNames.find((domain) => (name ?? '').toLowerCase().includes(domain)) ?? (/mechanic/i.test(name) ? 'mechanics' : undefined);
  if (named) return `var(--${named})`;
  const counts = new Map();
  for (const {component: id} of components) {
    for (const domain of component(id).domains ?? []) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return `var(--${domainClass(best ? [best] : []).slice(2)})`;
}

/** Columns from left to right along the flows; what would close a circle does not count. */
function columnsOf(nodes, links) {
  const next = new Map(nodes.map((node) => [node.id, []]));
  for (const link of links) next.get(link.from).push(link);
  const state = new Map();
  const order = [];
  const visit = (id) => {
    state.set(id, 1);
    for (const link of next.get(id)) {
      if (state.get(link.to) === 1) link.back = true;
      else if (!state.has(link.to)) visit(link.to);
    }
    state.set(id, 2);
    order.unshift(id);
  };
  const into = new Set(links.map(({to}) => to));
  for (const {id} of nodes) if (!into.has(id)) visit(id);
  for (const {id} of nodes) if (!state.has(id)) visit(id);
  const column = new Map(nodes.map(({id}) => [id, 0]));
  for (const id of order) {
    for (const link of next.get(id)) if (!link.back) column.set(link.to, Math.max(column.get(link.to), column.get(id) + 1));
  }
  // Those that only give stand just left of the first that takes from them.
  for (const {id} of nodes) {
    const goes = next.get(id).filter(({back}) => !back);
    if (!into.has(id) && goes.length > 0) column.set(id, Math.min(...goes.map(({to}) => column.get(to))) - 1);
  }
  return column;
}

/** The flow of power at one time. */
class Flow {
  constructor(times, islands) {
    this.times = times;
    this.islands = islands.map((island) => ({...island, color: islandColor(island)}));
    this.room = html('div', {class: 'flow-room'});
    this.same = false;
    this.now = new Map();  // where the boxes are while they move
    this.largest = 0;
    const ids = [...new Set(islands.flatMap(({components}) => components.map((each) => each.component)))];
    this.order = new Map(ids.map((id, k) => [id, k]));
    // As high as the fullest column ever needs.
    let fullest = 1;
    for (let k = 0; k < times.length; k += Math.max(1, Math.floor(times.length / 300))) {
      const state = this.at(times[k], k);
      fullest = Math.max(fullest, this.fullest(state));
      this.largest = Math.max(this.largest, this.most(state));
    }
    this.height = Math.min(Math.max(280, 130 + 62 * fullest), 900);
    onWidth(this.room, (width) => {
      this.width = width;
      // Names of what only gives or takes stand beside the boxes, or, in a narrow window, above them.
      const longest = 7.7 * Math.max(8, ...ids.map((id) => id.length)) + 16;
      this.beside = longest <= 0.3 * width;
      this.side = this.beside ? longest : 8;
      this.now.clear();
      this.draw();
    });
  }

  /** Boxes and flows at a time (or at the sample k). */
  at(time, k) {
    const links = [];
    const nodes = new Map();
    const node = (id) => {
      if (!nodes.has(id)) nodes.set(id, {id, takes: 0, gives: 0});
      return nodes.get(id);
    };
    this.islands.forEach((island, number) => {
      const powers = island.components.map(({component: id, power}) => ({id, power: (k === undefined ? valueAt(this.times, power, time) : power[k]) ?? 0}));
      const givers = powers.filter(({power}) => power < 0);
      const takers = powers.filter(({power}) => power > 0);
      const total = Math.max(-givers.reduce((sum, {power}) => sum + power, 0), takers.reduce((sum, {power}) => sum + power, 0));
      if (!(total > 0)) return;
      for (const {id, power} of givers) node(id).gives -= power;
      for (const {id, power} of takers) node(id).takes += power;
      for (const a of givers) {
        for (const b of takers) links.push({from: a.id, to: b.id, power: -a.power * b.power / total, island: number});
      }
    });
    return {nodes: [...nodes.values()].sort((a, b) => this.order.get(a.id) - this.order.get(b.id)), links};
  }

  most({nodes}) {
    return Math.max(0, nodes.reduce((sum, {gives, takes}) => sum + Math.max(gives - takes, 0), 0), ...nodes.map(({gives, takes}) => Math.max(gives, takes)));
  }

  fullest({nodes, links}) {
    const counts = new Map();
    for (const column of columnsOf(nodes, links).values()) counts.set(column, (counts.get(column) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  }

  setTime(time) {
    this.time = time;
    this.draw();
  }

  /** Where all boxes belong. */
  layout({nodes, links}) {
    // What is too small to be seen is left out.
    const most = this.most({nodes});
    const seen = nodes.filter(({gives, takes}) => Math.max(gives, takes) > 1e-4 * most);
    const kept = links.filter(({from, to, power}) => power > 1e-4 * most && seen.some(({id}) => id === from) && seen.some(({id}) => id === to));
    const column = columnsOf(seen, kept);
    const last = Math.max(1, ...column.values());
    const columns = Array.from({length: last + 1}, () => []);
    for (const node of seen) columns[Math.max(column.get(node.id), 0)].push(node);
    const unit = Math.min(...columns.filter((list) => list.length > 0).map((list) => {
      const sum = list.reduce((total, {gives, takes}) => total + Math.max(gives, takes), 0);
      return (this.height - 56 - (list.length - 1) * gap) / sum;
    }));
    const scale = this.same && this.largest > 0 ? Math.min(unit, unit * most / this.largest) : unit;
    const side = this.side;
    const places = new Map();
    columns.forEach((list, k) => {
      const heights = list.map(({gives, takes}) => Math.max(gives, takes) * scale);
      const free = this.height - 56 - heights.reduce((sum, each) => sum + each, 0);
      const between = list.length > 1 ? Math.min(free / (list.length - 1), 1.6 * gap) : 0;
      let y = 34 + (free - between * (list.length - 1)) / 2;
      list.forEach((node, n) => {
        places.set(node.id, {...node, x: side + (k / last) * (this.width - 2 * side - boxWide), y, height: Math.max(heights[n], 1.5)});
        y += heights[n] + between;
      });
    });
    return {places, links: kept, scale};
  }

  draw() {
    if (!this.width || this.time === undefined) return;
    const target = this.layout(this.at(this.time));
    let far = false;
    for (const [id, place] of target.places) {
      const old = this.now.get(id);
      if (!old) continue;
      const step = (a, b) => {
        if (Math.abs(b - a) < 0.6) return b;
        far = true;
        return a + 0.3 * (b - a);
      };
      place.x = step(old.x, place.x);
      place.y = step(old.y, place.y);
    }
    this.now = target.places;
    this.paint(target);
    if (far) {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.draw());
    }
  }

  paint({places, links, scale}) {
    const drawing = svg('svg', {viewBox: `0 0 ${this.width} ${this.height}`, role: 'img', 'aria-label': `Power flow at ${quantityText(this.time, 's')}`});
    if (places.size === 0) {
      drawing.append(svg('text', {class: 'unit', x: this.width / 2, y: this.height / 2, 'text-anchor': 'middle'}, 'No power flows now.'));
    }
    const [out, into] = [new Map(), new Map()];
    const take = (map, id, size) => {
      const from = map.get(id) ?? 0;
      map.set(id, from + size);
      return from;
    };
    const sorted = [...links].sort((a, b) => places.get(a.from).y - places.get(b.from).y || places.get(a.to).y - places.get(b.to).y);
    const ends = new Map();
    for (const link of [...links].sort((a, b) => places.get(a.to).y - places.get(b.to).y)) {
      ends.set(link, {start: take(out, link.from, link.power * scale)});
    }
    for (const link of sorted) ends.get(link).end = take(into, link.to, link.power * scale);
    const {islands} = this;
    for (const link of sorted) {
      const [a, b] = [places.get(link.from), places.get(link.to)];
      const size = Math.max(link.power * scale, 0.8);
      const [x1, x2] = [a.x + boxWide, b.x];
      const y1 = a.y + ends.get(link).start + size / 2;
      const y2 = b.y + ends.get(link).end + size / 2;
      const bend = Math.max(0.5 * Math.abs(x2 - x1), x2 < x1 ? 90 : 0);
      const {color, name} = islands[link.island];
      drawing.append(svg('path', {
        class: 'flow', style: `stroke: ${color}`, 'stroke-width': size.toFixed(1),
        d: `M${x1} ${y1.toFixed(1)}C${x1 + bend} ${y1.toFixed(1)} ${x2 - bend} ${y2.toFixed(1)} ${x2} ${y2.toFixed(1)}`,
        onpointermove: (event) => tip(event, [html('b', {}, `${link.from} → ${link.to}`)], `${siText(link.power, 'W')} ${name ? `(${name})` : ''}`),
        onpointerleave: hideTip,
      }));
    }
    for (const {id, x, y, height, takes, gives} of places.values()) {
      const end = !(gives > 0);
      const begin = !(takes > 0);
      const rest = takes - gives;
      const note = takes > 0 && gives > 0 ? `${siText(takes, 'W')} → ${siText(gives, 'W')}` : siText(Math.max(takes, gives), 'W');
      const reach = 3.9 * Math.max(id.length, note.length) + 4;
      const middle = Math.min(Math.max(x + boxWide / 2, reach), this.width - reach);
      const beside = this.beside && (begin || end);
      const [textX, anchor] = beside ? (begin ? [x - 8, 'end'] : [x + boxWide + 8, 'start']) : [middle, 'middle'];
      const textY = beside ? y + height / 2 - 8 : y - 21;
      drawing.append(svg('g', {
        ...of(id), class: 'box',
        onpointermove: (event) => tip(event, [html('b', {}, id)], ...(takes > 0 ? [`takes ${siText(takes, 'W')}`] : []), ...(gives > 0 ? [`gives ${siText(gives, 'W')}`] : []),
            ...(takes > 0 && gives > 0 ? [rest >= 0 ? `keeps or loses ${siText(rest, 'W')}` : `out of its store ${siText(-rest, 'W')}`] : [])),
        onpointerleave: hideTip,
      }, svg('rect', {x, y, width: boxWide, height, rx: Math.min(3, height / 2), style: `fill: ${colorOf(id)}`}),
      svg('text', {class: 'name', x: textX, y: textY, 'text-anchor': anchor}, id), svg('text', {class: 'tick', x: textX, y: textY + 14, 'text-anchor': anchor}, note)));
    }
    this.room.replaceChildren(drawing);
    markIn(this.room);
  }
}

const shownAtMost = 24;  // components that can be told apart in one picture

/** Where there are too many, those of an array are one: cell[1] … cell[20] is cell[1…20]. */
function grouped({islands, stored}) {
  const ids = new Set([...islands.flatMap(({components}) => components), ...stored].map(({component: id}) => id));
  const largest = Math.max(stored.length, ...islands.map(({components}) => components.length));
  const members = new Map();
  for (const id of ids) {
    const key = id.replace(/\[\d+\]/g, '[]');
    members.set(key, [...(members.get(key) ?? []), id]);
  }
  if (largest <= shownAtMost || members.size === ids.size) return {islands, stored};
  const names = new Map();
  for (const [key, list] of members) {
    const numbers = list.map((id) => Number(/\[(\d+)\]/.exec(id)?.[1]));
    const name = list.length === 1 ? list[0] : key.replace('[]', `[${Math.min(...numbers)}…${Math.max(...numbers)}]`).replaceAll('[]', '[…]');
    if (list.length > 1) addGroup(name, list);
    for (const id of list) names.set(id, name);
  }
  const sum = (list, what) => {
    const sums = new Map();
    for (const each of list) {
      const component_ = names.get(each.component);
      const name = each.name ? component_ + each.name.slice(each.component.length) : component_;
      const before = sums.get(name)?.[what];
      sums.set(name, {component: component_, name, [what]: before ? before.map((value, k) => value + (each[what][k] ?? 0)) : each[what].map((value) => value ?? 0)});
    }
    return [...sums.values()];
  };
  return {islands: islands.map((island) => ({...island, components: sum(island.components, 'power')})), stored: sum(stored, 'values'), summed: true};
}

export function energy({times = [], ...all}) {
  const {islands, stored, summed} = grouped({islands: all.islands ?? [], stored: all.stored ?? []});
  const begin = times[0] ?? 0;
  const end = times[times.length - 1] ?? 0;
  const figure = html('div', {class: 'energy'}, ...(summed ? [html('p', {class: 'soft'}, 'Components of one array are summed.')] : []));
  const parts = [];
  let time;
  const slider = html('input', {type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'Time', oninput: () => setTime(begin + Number(slider.value) * (end - begin))});
  const shown = html('output', {class: 'time'});

  function setTime(value) {
    time = Math.min(Math.max(value, begin), end);
    slider.value = end > begin ? (time - begin) / (end - begin) : 0;
    shown.textContent = quantityText(time, 's');
    slider.setAttribute('aria-valuetext', shown.textContent);
    for (const part of parts) part(time);
  }

  if (stored.length > 0) {
    const areas = stacked(times, stored, {title: 'Stored energy', follow: setTime});
    parts.push(areas.cursor);
    figure.append(areas.figure);
  }
  if (islands.length > 0) {
    const flow = new Flow(times, islands);
    parts.push((value) => flow.setTime(value));
    let playing = false;
    const play = button('Play', () => {
      playing = !playing;
      play.replaceChildren(icon(playing ? 'pause' : 'play'));
      play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
      play.title = playing ? 'Pause' : 'Play';
      if (!playing) return;
      if (time >= end) setTime(begin);
      let last = performance.now();
      const step = (instant) => {
        if (!playing) return;
        setTime(time + (Math.max(instant - last, 0) / 8000) * (end - begin));
        last = instant;
        if (time >= end) play.click();
        else requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    }, icon('play'));
    const same = html('input', {type: 'checkbox', onchange: () => {
      flow.same = same.checked;
      flow.draw();
    }});
    figure.append(html('figure', {class: 'flows'}, html('figcaption', {}, 'Power flow'), flow.room,
        html('div', {class: 'controls'}, play, slider, shown, html('label', {}, same, ' same scale at all times')),
        html('div', {class: 'legend'}, ...[...new Map(flow.islands.map(({name, color}) => [(name ?? '').split(':')[0], color]))].map(([name, color]) => html('span', {class: 'kind', style: `--color: ${color}`}, name)))));
    const powersRoom = html('div', {class: 'powers'});
    figure.append(html('h4', {}, 'Power into the components'), powersRoom);
    const names = islands.map(({name}) => name ?? '');
    const rest = islands.length > 6 ? html('div', {class: 'powers inside'}) : undefined;
    islands.forEach(({components}, k) => {
      const twice = names.filter((each) => each === names[k]).length > 1;
      const name = twice ? `${names[k]} ${names.slice(0, k + 1).filter((each) => each === names[k]).length}` : names[k];
      // The strongest first: of very many, only the first are switched on.
      const peak = ({power}) => power.reduce((largest, value) => Math.max(largest, Math.abs(value ?? 0)), 0);
      const curves = (components.length > 12 ? [...components].sort((a, b) => peak(b) - peak(a)) : components).map(({component: id, power}) => ({name: id, unit: 'W', component: id, values: power}));
      const powers = chart({title: name, label: `Power into the components: ${name}`, x: {title: 'time', unit: 's', values: times}, curves, tall: 130, follow: setTime});
      parts.push(powers.cursor);
      (k < 4 || !rest ? powersRoom : rest).append(powers.figure);
    });
    if (rest) figure.append(html('details', {}, html('summary', {}, `${islands.length - 4} more parts`), rest));
  }
  // Where most happens.
  let best = begin;
  let most = -1;
  times.forEach((t, k) => {
    let sum = 0;
    for (const {components} of islands) for (const {power} of components) sum += Math.abs(power[k] ?? 0);
    if (sum > most * 1.0001) [most, best] = [sum, t];
  });
  setTime(best);
  return figure;
}
