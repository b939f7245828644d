// SPDX-License-Identifier: Apache-2.0
// Which variable stands in which equation: a square of small squares, with the blocks of its order.
import {html, of, svg} from './dom.js';
import {hideTip, tip} from './tip.js';
import {zoomable} from './zoom.js';

const kinds = {
  explicit: 'explicit', sum: 'sum', software: 'software', linear_constant: 'linear, constant', linear: 'linear', nonlinear: 'nonlinear',
};
const labelled = 48;  // rows up to which all names are written

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function pattern({title, rows = [], columns = [], cells = [], blocks = []}) {
  const count = Math.max(rows.length, columns.length, 1);
  const names = count <= labelled;
  const letters = (list, most) => (names ? Math.min(most, Math.max(0, ...list.map(({text}) => (text ?? '').length))) * 0.36 + 0.7 : 0.4);
  const left = letters(rows, 44);
  const top = letters(columns, 28);
  const width = left + count + 0.4;
  const height = top + count + 0.4;
  const drawing = svg('svg', {viewBox: `${-left} ${-top} ${width} ${height}`, role: 'img', 'aria-label': `${title ?? 'Pattern'}: ${count} equations; plus and minus zoom, arrows move`});
  const scale = names ? 20 : Math.max(720 / width, 2);
  drawing.style.width = `min(100%, ${Math.round(Math.min(width * scale, 860))}px)`;
  drawing.style.aspectRatio = `${width} / ${height}`;

  drawing.append(svg('rect', {x: 0, y: 0, width: count, height: count, class: 'field'}));
  if (count <= 120) {
    let lines = '';
    for (let k = 1; k < count; ++k) lines += `M0 ${k}h${count}M${k} 0v${count}`;
    drawing.append(svg('path', {d: lines, class: 'grid'}));
  }
  for (const {first, size, kind} of blocks) {
    drawing.append(svg('rect', {x: first, y: first, width: size, height: size, class: `block k-${kind}`}));
  }
  const cross = svg('path', {class: 'cross', d: ''});
  drawing.append(cross);

  // All cells of a component are one element: thousands of squares stay fast.
  const paths = new Map();
  const filled = new Set();
  for (const [row, column] of cells) {
    const owner = rows[row]?.component || columns[column]?.component || '';
    filled.add(row * count + column);
    if (!paths.has(owner)) paths.set(owner, []);
    paths.get(owner).push(`M${column + 0.12} ${row + 0.12}h.76v.76h-.76z`);
  }
  for (const [owner, parts] of paths) drawing.append(svg('path', {...of(owner), class: count > 150 ? 'cell fine' : 'cell', d: parts.join('')}));

  if (names) {
    rows.forEach(({text, component}, k) => drawing.append(
        svg('text', {...of(component), class: 'label', x: -0.3, y: k + 0.5, 'text-anchor': 'end'}, shortened(text ?? '', 44))));
    columns.forEach(({text, component}, k) => drawing.append(
        svg('text', {...of(component), class: 'label', transform: `translate(${k + 0.5} -0.3) rotate(-90)`}, shortened(text ?? '', 28))));
  }

  /** The filled cell next to the pointer, where cells are smaller than what a hand can point at. */
  const nearest = (row, column, reach) => {
    for (let far = 0; far <= reach; ++far) {
      for (let r = row - far; r <= row + far; ++r) {
        for (let c = column - far; c <= column + far; ++c) {
          if (Math.max(Math.abs(r - row), Math.abs(c - column)) === far && filled.has(r * count + c)) return [r, c];
        }
      }
    }
    return [row, column];
  };
  drawing.addEventListener('pointermove', (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    const inside = (k) => k >= 0 && k < count;
    const [row, column] = nearest(Math.floor(point.y), Math.floor(point.x), Math.min(Math.floor(3 / drawing.getScreenCTM().a), 12));
    if (!inside(row) && !inside(column)) {
      leave();
      return;
    }
    cross.setAttribute('d', (inside(row) ? `M${-left} ${row}H${count}v1H${-left}z` : '') + (inside(column) ? `M${column} ${-top}V${count}h1V${-top}z` : ''));
    const around = blocks.find(({first, size}) => row >= first && row < first + size && column >= first && column < first + size);
    const lines = [];
    if (inside(row)) lines.push([html('span', {class: 'soft'}, `${row + 1} `), rows[row]?.text ?? '']);
    if (inside(column)) lines.push([html('span', {class: 'soft'}, inside(row) && filled.has(row * count + column) ? 'with ' : 'column '), html('b', {}, columns[column]?.text ?? '')]);
    if (around && around.size > 0) lines.push(html('span', {class: 'soft'}, `block of ${around.size}, ${kinds[around.kind] ?? around.kind}`));
    tip(event, ...lines);
  });
  const leave = () => {
    cross.setAttribute('d', '');
    hideTip();
  };
  drawing.addEventListener('pointerleave', leave);

  const present = Object.keys(kinds).filter((kind) => blocks.some((block) => block.kind === kind));
  const legend = present.map((kind) => {
    const those = blocks.filter((block) => block.kind === kind);
    const largest = Math.max(...those.map(({size}) => size));
    const text = `${kinds[kind]}: ${those.length} ${those.length === 1 ? 'block' : 'blocks'}${largest > 1 ? `, up to ${largest}` : ''}`;
    return html('span', {class: `kind k-${kind}`}, text);
  });
  const room = html('div', {class: 'pattern-room'}, drawing);
  room.append(html('div', {class: 'tools'}, ...zoomable(drawing, {most: Math.max(4, count / 5)})));
  return html('figure', {class: 'pattern'},
      html('figcaption', {}, title ?? '', html('span', {class: 'soft'}, ` ${rows.length} ${rows.length === 1 ? 'equation' : 'equations'}, ${cells.length} entries`)), room,
      ...(legend.length > 0 ? [html('div', {class: 'legend'}, ...legend)] : []));
}
