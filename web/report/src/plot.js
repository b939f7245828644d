// SPDX-License-Identifier: Apache-2.0
// Curves over time (or whatever x is), one pane for each unit.
import {html, numberText, of, onWidth, svg, ticksOf, unitText} from './dom.js';
import {markIn} from './mark.js';
import {hideTip, tip} from './tip.js';

const shownAtFirst = 12;
const colors = 7;
const dashes = [undefined, '7 3', '2 3'];

export const curveColor = (k) => `var(--curve-${k % colors})`;

export function rangeOf(lists) {
  let low = Infinity;
  let high = -Infinity;
  for (const values of lists) {
    for (const x of values) {
      if (x === null || !Number.isFinite(x)) continue;
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  if (!(low <= high)) return [-1, 1];
  // What is constant but for rounding is shown as constant.
  const least = 2e-3 * Math.max(Math.abs(low), Math.abs(high));
  const room = Math.max(0.06 * (high - low), (least - (high - low)) / 2);
  return room > 0 ? [low - room, high + room] : [-1, 1];
}

/** The last k with xs[k] <= x. */
export function indexAt(xs, x) {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function valueAt(xs, values, x) {
  const k = indexAt(xs, x);
  const [a, b] = [values[k], values[k + 1]];
  if (a === null || a === undefined) return undefined;
  if (b === null || b === undefined || !(xs[k + 1] > xs[k])) return a;
  const part = Math.min(Math.max((x - xs[k]) / (xs[k + 1] - xs[k]), 0), 1);
  return a + part * (b - a);
}

/** Times and curves with the extremes that lie between the times; there the others run straight. */
export function withExtremes(xs, curves) {
  const times = [...new Set(curves.flatMap((curve) => (curve.extremes ?? []).map(([time]) => time)))].sort((a, b) => a - b);
  if (times.length === 0) return {xs, curves};
  const merged = [];
  let next = 0;
  xs.forEach((x, k) => {
    for (; next < times.length && times[next] < x; ++next) merged.push({x: times[next]});
    merged.push({x, k});
  });
  return {
    xs: merged.map(({x}) => x),
    curves: curves.map((curve) => {
      const own = new Map(curve.extremes ?? []);
      return {...curve, values: merged.map(({x, k}) => (k !== undefined ? curve.values[k] : own.get(x) ?? valueAt(xs, curve.values, x) ?? null))};
    }),
  };
}

/** The path of a curve, with at most four points for each column of pixels; null is a gap. */
export function curvePath(xs, values, toX, toY) {
  const count = Math.min(xs.length, values.length);
  const good = (k) => values[k] !== null && Number.isFinite(values[k]);
  let d = '';
  let drawing = false;
  for (let k = 0; k < count;) {
    if (!good(k)) {
      drawing = false;
      ++k;
      continue;
    }
    const column = Math.floor(toX(xs[k]));
    const first = k;
    let [low, high, last] = [k, k, k];
    for (; k < count && good(k) && Math.floor(toX(xs[k])) === column; ++k) {
      if (values[k] < values[low]) low = k;
      if (values[k] > values[high]) high = k;
      last = k;
    }
    for (const at of new Set([first, Math.min(low, high), Math.max(low, high), last])) {
      d += `${drawing ? 'L' : 'M'}${toX(xs[at]).toFixed(1)} ${toY(values[at]).toFixed(1)}`;
      drawing = true;
    }
  }
  return d;
}

const wideOf = (text) => 7.4 * text.length;

const prefixes = {9: 'G', 6: 'M', 3: 'k', '-3': 'm', '-6': 'µ', '-9': 'n'};
const prefixed = /^(Pa|W|J|N|N\*m|V|A|Hz|F|H|m|s|K|ohm)$/;

/** Large and small numbers in a larger or smaller unit: 12 MPa, not 1.2e7 Pa. */
function scaled(range, unit) {
  const large = Math.max(Math.abs(range[0]), Math.abs(range[1]));
  const power = large >= 1e4 || (large > 0 && large < 1e-2) ? 3 * Math.floor(Math.log10(large) / 3) : 0;
  const name = unitText(unit);
  if (power === 0) return {size: 1, title: name ? `in ${name}` : ''};
  if (prefixed.test(unit ?? '') && prefixes[power] && !(unit === 'K' && power > 0)) return {size: 10 ** power, title: `in ${prefixes[power]}${name}`};
  const digits = String(power).replace(/./g, (digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]));
  return {size: 10 ** power, title: `in 10${digits}${name ? ` ${name}` : ''}`};
}

/** A value as its axis writes it. */
function valueText(number, unit) {
  if (number === undefined || !Number.isFinite(number)) return '–';
  const {size, title} = scaled([0, number], unit);
  return `${numberText(number / size)} ${title.replace(/^in /, '').replace(/^10/, '· 10')}`.trim();
}

/** Ticks of an axis up, in the unit that fits. */
function upTicks(y, unit, height) {
  const {size, title} = scaled(y, unit);
  return {title, ticks: ticksOf(y[0] / size, y[1] / size, Math.max(2, Math.floor(height / 34))).map(({x, text}) => ({x: x * size, text}))};
}

/** Axes around a box; returns the scales. */
export function axes(drawing, {left, right, top, bottom, x, y, unit, below}) {
  const toX = (value) => left + ((value - x[0]) / (x[1] - x[0])) * (right - left);
  const toY = (value) => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - top);
  const across = ticksOf(...x, Math.max(2, Math.floor((right - left) / 90)));
  const {ticks: up, title} = upTicks(y, unit, bottom - top);
  let lines = '';
  for (const tick of across) lines += `M${toX(tick.x).toFixed(1)} ${top}V${bottom}`;
  for (const tick of up) lines += `M${left} ${toY(tick.x).toFixed(1)}H${right}`;
  drawing.append(svg('path', {class: 'grid', d: lines}));
  if (y[0] < 0 && y[1] > 0) drawing.append(svg('path', {class: 'zero', d: `M${left} ${toY(0).toFixed(1)}H${right}`}));
  for (const tick of up) drawing.append(svg('text', {class: 'tick', x: left - 8, y: toY(tick.x), 'text-anchor': 'end'}, tick.text));
  drawing.append(svg('text', {class: 'unit', x: left, y: top - 11}, title));
  drawing.append(svg('path', {class: 'frame', d: `M${left} ${top}V${bottom}H${right}`}));
  if (below !== undefined) {
    for (const tick of across) drawing.append(svg('text', {class: 'tick', x: toX(tick.x), y: bottom + 14, 'text-anchor': 'middle'}, tick.text));
    drawing.append(svg('text', {class: 'unit', x: right, y: bottom + 32, 'text-anchor': 'end'}, below));
  }
  return {toX, toY};
}

export const leftFor = (ranges, height) =>
    Math.max(44, ...ranges.map((range) => Math.max(...upTicks(range, '', height).ticks.map(({text}) => wideOf(text))) + 16));

let clips = 0;

/** `follow(x)` is called with what the pointer is on, undefined when it leaves. Returns {figure, cursor(x)}. */
export function chart({title, x, curves: rows = [], events = [], tall, follow, colorOf, dashed = true, label}) {
  const {xs, curves} = withExtremes(x?.values ?? [], rows);
  const list = curves.map((curve, k) => ({
    ...curve, unit: curve.unit ?? '', on: k < shownAtFirst, color: colorOf?.(curve, k) ?? curveColor(k),
    dash: dashed ? dashes[Math.floor(k / colors) % dashes.length] : undefined,
  }));
  const whole = xs.length > 0 ? [xs[0], xs[xs.length - 1] > xs[0] ? xs[xs.length - 1] : xs[0] + 1] : [0, 1];
  let range = whole;
  const room = html('div', {class: 'plot-room'});
  let panes = [];
  let place;
  let at;
  let width = 0;
  let line;

  const legend = html('div', {class: 'legend curves'}, ...list.map((curve) => {
    curve.value = html('output');
    const mark = svg('svg', {viewBox: '0 0 22 8', 'aria-hidden': 'true'},
        svg('path', {d: 'M1 4H21', stroke: curve.color, 'stroke-width': 3, 'stroke-dasharray': curve.dash, 'stroke-linecap': curve.dash ? 'butt' : 'round'}));
    const name = `Show ${curve.name}`;
    const press = html('button', {
      type: 'button', class: 'swatch', title: 'Show or hide', 'aria-label': name, 'aria-pressed': String(curve.on),
      onclick: () => {
        curve.on = !curve.on;
        press.setAttribute('aria-pressed', String(curve.on));
        draw();
      },
    }, mark);
    return html('span', {class: 'entry', ...of(curve.component)}, press, html('span', {class: 'name'}, curve.name), curve.value);
  }));

  function draw() {
    if (width === 0) return;
    const units = [...new Set(list.filter(({on}) => on).map(({unit}) => unit))];
    const high = tall ?? (units.length > 1 ? 150 : 220);
    panes = units.map((unit) => {
      const those = list.filter((curve) => curve.on && curve.unit === unit);
      const [a, b] = [indexAt(xs, range[0]), indexAt(xs, range[1]) + 2];
      return {unit, those, y: rangeOf(those.map(({values}) => (range === whole ? values : values.slice(a, b))))};
    });
    const left = Math.min(leftFor(panes.map(({y}) => y), high), 90);
    const right = width - 18;
    const [top, between, bottom] = [26, 40, 42];
    const height = panes.length === 0 ? 60 : top + panes.length * high + (panes.length - 1) * between + bottom;
    const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label ?? `${title ?? 'Curves'}: ${list.map(({name}) => name).join(', ')}`});
    const clip = `cr-clip-${++clips}`;
    panes.forEach((pane, k) => {
      pane.top = top + k * (high + between);
      pane.bottom = pane.top + high;
      const last = k === panes.length - 1;
      const below = last ? [x?.title, x?.unit ? `in ${unitText(x.unit)}` : ''].filter(Boolean).join(' ') : undefined;
      Object.assign(pane, axes(drawing, {left, right, top: pane.top, bottom: pane.bottom, x: range, y: pane.y, unit: pane.unit, below}));
      drawing.append(svg('clipPath', {id: `${clip}-${k}`}, svg('rect', {x: left, y: pane.top - 2, width: Math.max(right - left, 1), height: high + 4})));
      const inside = svg('g', {'clip-path': `url(#${clip}-${k})`});
      // Many of them would hide the curves: then they are short.
      const near = events.filter(({time}) => time >= range[0] && time <= range[1]);
      const at = near.map(({time}) => pane.toX(time));
      const dense = near.length > 60 || (near.length > 6 && (Math.max(...at) - Math.min(...at)) / near.length < 5);
      const from = dense ? pane.bottom - 7 : pane.top;
      const places = new Set(at.map((place) => place.toFixed(dense ? 0 : 1)));
      if (places.size > 0) inside.append(svg('path', {class: 'event', d: [...places].map((across) => `M${across} ${from}V${pane.bottom}`).join('')}));
      for (const curve of pane.those) {
        const d = curvePath(xs, curve.values ?? [], pane.toX, pane.toY);
        inside.append(svg('path', {...of(curve.component), class: 'curve', d, style: `stroke: ${curve.color}`, 'stroke-dasharray': curve.dash}));
        inside.append(svg('path', {...of(curve.component), class: 'hit', d}));
      }
      drawing.append(inside);
    });
    if (panes.length === 0) drawing.append(svg('text', {class: 'unit', x: width / 2, y: 30, 'text-anchor': 'middle'}, 'No curve is switched on.'));
    line = svg('path', {class: 'cursor', d: ''});
    drawing.append(line);
    place = {left, right, drawing};
    room.replaceChildren(drawing);
    markIn(room);
    cursor(at);
  }

  function cursor(value) {
    at = value;
    if (!place) return;
    const shown = value !== undefined && value >= range[0] && value <= range[1];
    line.setAttribute('d', shown ? panes.map((pane) => `M${pane.toX(value).toFixed(1)} ${pane.top}V${pane.bottom}`).join('') : '');
    for (const curve of list) {
      const number = value === undefined ? undefined : valueAt(xs, curve.values ?? [], value);
      curve.value.textContent = value === undefined ? '' : valueText(number, curve.unit);
    }
  }

  const xOf = (event) => {
    const part = (event.clientX - room.getBoundingClientRect().left - place.left) / (place.right - place.left);
    return range[0] + part * (range[1] - range[0]);
  };
  let from;
  room.addEventListener('pointermove', (event) => {
    if (!place || panes.length === 0) return;
    const value = Math.min(Math.max(xOf(event), range[0]), range[1]);
    if (from !== undefined && Math.abs(event.clientX - from.x) > 6) {
      const [a, b] = [panes[0].toX(Math.min(from.value, value)), panes[0].toX(Math.max(from.value, value))];
      room.querySelector('.choice')?.remove();
      place.drawing.append(svg('rect', {class: 'choice', x: a, width: b - a, y: panes[0].top, height: panes[panes.length - 1].bottom - panes[0].top}));
    }
    if (follow) follow(value);
    else cursor(value);
    const near = events.filter(({time}) => Math.abs(panes[0].toX(time) - panes[0].toX(value)) < 5);
    if (near.length > 0) tip(event, ...near.slice(0, 5).map(({time, text}) => [html('b', {}, `${numberText(time)} ${unitText(x?.unit)} `), text ?? '']));
    else hideTip();
  });
  room.addEventListener('pointerdown', (event) => {
    if (event.button === 0 && event.pointerType === 'mouse' && place && panes.length > 0) from = {x: event.clientX, value: Math.min(Math.max(xOf(event), range[0]), range[1])};
  });
  window.addEventListener('pointerup', (event) => {
    if (from === undefined) return;
    const {x: start, value: begin} = from;
    from = undefined;
    room.querySelector('.choice')?.remove();
    if (Math.abs(event.clientX - start) <= 6) return;
    const end = Math.min(Math.max(xOf(event), range[0]), range[1]);
    if (begin !== end) range = [Math.min(begin, end), Math.max(begin, end)];
    draw();
  });
  room.addEventListener('dblclick', () => {
    range = whole;
    draw();
  });
  room.addEventListener('pointerleave', () => {
    hideTip();
    if (!follow) cursor(undefined);
  });
  onWidth(room, (wide) => {
    width = wide;
    draw();
  });
  const figure = html('figure', {class: 'plot'}, ...(title ? [html('figcaption', {}, title)] : []), room, legend);
  return {figure, cursor};
}

export const plot = (item) => chart(item).figure;
