// SPDX-License-Identifier: Apache-2.0
// Curves over time, one pane for each unit, with a cursor that follows the time and can be dragged.
import {multipleOf, quantityText} from '../../shared/units.js';
import {frameAt, niceStep, valueAt} from './scene.js';
import {bodyColor, theme} from './theme.js';

const font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const margin = {top: 22, right: 14, bottom: 30, between: 30};
const leastHeight = 84;
const shownAtFirst = 6;
const dashes = [[], [6, 3], [2, 2.5]];

function ticksOf(low, high, most) {
  let step = niceStep((high - low) / most);
  while ((high - low) / step > most) step = niceStep(step * 2.5);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
  const large = Math.max(Math.abs(low), Math.abs(high));
  const place = Math.floor(Math.log10(step) + 1e-9);
  const plain = large < 1e5 && large >= 1e-3;
  const text = (x) => {
    if (Math.abs(x) < 1e-9 * step) return '0';
    const digits = Math.max(0, Math.floor(Math.log10(Math.abs(x)) + 1e-9) - place);
    const written = plain ? x.toFixed(Math.max(0, -place)) : x.toExponential(digits).replace('e+', 'e');
    return written.replace(/-/g, '−');
  };
  return ticks.map((x) => ({x, text: text(x)}));
}

function rangeOf(curves) {
  let low = Infinity;
  let high = -Infinity;
  for (const {values} of curves) {
    for (const x of values) {
      if (x < low) low = x;
      if (x > high && x < Infinity) high = x;
    }
  }
  if (!(low <= high) || !Number.isFinite(low)) return [-1, 1];
  // What is constant but for rounding is shown as constant.
  const least = 2e-3 * Math.max(Math.abs(low), Math.abs(high));
  const room = Math.max(0.06 * (high - low), (least - (high - low)) / 2);
  return room > 0 ? [low - room, high + room] : [-1, 1];
}

export class Plot {
  /** `room` holds two canvases and scrolls; `list` holds the names; `seek(time)` is called while the cursor is dragged. */
  constructor(scene, room, list, seek) {
    this.scene = scene;
    this.room = room;
    this.begin = scene.times[0] ?? 0;
    this.end = scene.times[scene.times.length - 1] ?? 1;
    if (!(this.end > this.begin)) this.end = this.begin + 1;
    this.still = room.appendChild(document.createElement('canvas'));
    this.moving = room.appendChild(document.createElement('canvas'));
    this.curves = scene.curves.map((curve, number) => ({...curve, number, on: number < shownAtFirst}));
    this.entries = this.curves.map((curve) => this.addEntry(curve, list));
    this.paint();
    const drag = (event) => {
      const x = event.clientX - this.moving.getBoundingClientRect().left;
      seek(this.begin + ((x - this.left) / (this.right - this.left)) * (this.end - this.begin));
    };
    this.moving.addEventListener('pointerdown', (event) => {
      this.moving.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.moving.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) drag(event);
    });
  }

  addEntry(curve, list) {
    const label = document.createElement('label');
    const box = document.createElement('input');
    const swatch = document.createElement('i');
    const name = document.createElement('span');
    const value = document.createElement('output');
    box.type = 'checkbox';
    box.checked = curve.on;
    name.textContent = curve.name;
    name.title = curve.name;
    box.addEventListener('change', () => {
      curve.on = box.checked;
      this.resize();
    });
    label.append(box, swatch, name, value);
    list.append(label);
    return {swatch, value};
  }

  paint() {
    this.colors = theme();
    // A curve has the colour of its body; those of no body are grey. Dashes tell curves of one colour apart.
    const used = new Map();
    this.curves.forEach((curve, k) => {
      const own = bodyColor(this.scene, curve.body, this.colors);
      const before = used.get(own) ?? 0;
      used.set(own, before + 1);
      curve.color = own ?? this.colors.others[before % 2];
      curve.dash = dashes[(own ? before : Math.floor(before / 2)) % dashes.length];
      const {style} = this.entries[k].swatch;
      const [on, off] = curve.dash;
      style.background = on ? `repeating-linear-gradient(90deg, ${curve.color} 0 ${on}px, transparent ${on}px ${on + off}px)` : curve.color;
    });
    this.resize();
  }

  resize() {
    const units = [...new Set(this.curves.filter((curve) => curve.on).map((curve) => curve.unit))];
    this.panes = units.map((unit) => {
      const curves = this.curves.filter((curve) => curve.on && curve.unit === unit);
      return {unit, curves, range: rangeOf(curves)};
    });
    const count = Math.max(this.panes.length, 1);
    const least = margin.top + margin.bottom + count * leastHeight + (count - 1) * margin.between;
    // In a narrow window the page scrolls, and all panes are shown.
    this.room.style.setProperty('--least', `${least}px`);
    const height = Math.max(this.room.clientHeight, least);
    const scale = window.devicePixelRatio || 1;
    // Its width last: a scroll bar may have come.
    for (const canvas of [this.still, this.moving]) canvas.style.height = `${height}px`;
    const width = this.room.clientWidth;
    for (const canvas of [this.still, this.moving]) {
      canvas.style.width = `${width}px`;
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.getContext('2d').setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.width = width;
    this.height = height;
    this.layout();
    this.drawStill();
    if (this.time !== undefined) this.setTime(this.time);
  }

  layout() {
    const pen = this.still.getContext('2d');
    pen.font = font;
    const count = Math.max(this.panes.length, 1);
    const tall = (this.height - margin.top - margin.bottom - (count - 1) * margin.between) / count;
    let wide = 0;
    this.panes.forEach((pane, k) => {
      pane.top = margin.top + k * (tall + margin.between);
      pane.bottom = pane.top + tall;
      const {size, unit} = multipleOf(pane.unit, Math.max(...pane.range.map(Math.abs)));
      pane.shown = unit;
      pane.ticks = ticksOf(...pane.range.map((x) => x / size), Math.max(3, Math.floor(tall / 28))).map(({x, text}) => ({x: x * size, text}));
      for (const {text} of pane.ticks) wide = Math.max(wide, pen.measureText(text).width);
    });
    this.left = Math.ceil(wide) + 16;
    const {size, unit} = multipleOf('s', Math.max(Math.abs(this.begin), Math.abs(this.end)));
    this.timeUnit = unit;
    const most = Math.max(2, Math.floor((this.width - margin.right - this.left) / 62));
    this.across = ticksOf(this.begin / size, this.end / size, most).map(({x, text}) => ({x: x * size, text}));
    // The last number stays inside.
    const last = this.across.length > 0 ? pen.measureText(this.across.at(-1).text).width / 2 + 3 : 0;
    this.right = this.width - Math.max(margin.right, last);
  }

  x(time) {
    return this.left + ((time - this.begin) / (this.end - this.begin)) * (this.right - this.left);
  }

  drawStill() {
    const pen = this.still.getContext('2d');
    const {colors} = this;
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = font;
    pen.textBaseline = 'middle';
    if (this.panes.length === 0) {
      pen.fillStyle = colors.soft;
      pen.textAlign = 'center';
      pen.fillText('No curve is switched on.', this.width / 2, this.height / 2);
      return;
    }
    const {across} = this;
    this.panes.forEach((pane, k) => {
      const y = (value) =>
          pane.bottom - ((value - pane.range[0]) / (pane.range[1] - pane.range[0])) * (pane.bottom - pane.top);
      pen.lineWidth = 1;
      pen.strokeStyle = colors.rule;
      pen.beginPath();
      for (const {x} of across) {
        const at = Math.round(this.x(x)) + 0.5;
        pen.moveTo(at, pane.top);
        pen.lineTo(at, pane.bottom);
      }
      for (const {x} of pane.ticks) {
        const at = Math.round(y(x)) + 0.5;
        pen.moveTo(this.left, at);
        pen.lineTo(this.right, at);
      }
      pen.stroke();
      pen.strokeStyle = colors.frame;
      pen.strokeRect(this.left + 0.5, Math.round(pane.top) + 0.5, this.right - this.left, Math.round(pane.bottom - pane.top));
      pen.fillStyle = colors.soft;
      pen.textAlign = 'right';
      for (const {x, text} of pane.ticks) pen.fillText(text, this.left - 7, y(x));
      pen.textAlign = 'left';
      pen.fillStyle = colors.ink;
      pen.fillText(pane.shown ? `in ${pane.shown}` : 'without unit', this.left, pane.top - 10);
      for (const curve of pane.curves) this.drawCurve(pen, pane, curve, y);
      if (k === this.panes.length - 1) {
        pen.fillStyle = colors.soft;
        pen.textAlign = 'center';
        for (const {x, text} of across) pen.fillText(text, this.x(x), pane.bottom + 12);
        pen.textAlign = 'right';
        pen.fillStyle = colors.ink;
        pen.fillText(`time in ${this.timeUnit}`, this.right, pane.bottom + 24);
      }
      pane.y = y;
    });
  }

  /** With at most four points for each column of pixels; what is not finite is a gap. */
  drawCurve(pen, pane, curve, y) {
    const {times} = this.scene;
    const count = Math.min(times.length, curve.values.length);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, pane.top, this.right - this.left, pane.bottom - pane.top);
    pen.clip();
    pen.beginPath();
    let drawing = false;
    let k = 0;
    while (k < count) {
      if (!Number.isFinite(curve.values[k])) {
        drawing = false;
        ++k;
        continue;
      }
      const column = Math.floor(this.x(times[k]));
      const first = k;
      let low = k;
      let high = k;
      let last = k;
      for (; k < count && Number.isFinite(curve.values[k]) && Math.floor(this.x(times[k])) === column; ++k) {
        if (curve.values[k] < curve.values[low]) low = k;
        if (curve.values[k] > curve.values[high]) high = k;
        last = k;
      }
      for (const at of [...new Set([first, Math.min(low, high), Math.max(low, high), last])]) {
        if (drawing) pen.lineTo(this.x(times[at]), y(curve.values[at]));
        else pen.moveTo(this.x(times[at]), y(curve.values[at]));
        drawing = true;
      }
    }
    pen.strokeStyle = curve.color;
    pen.lineWidth = 1.8;
    pen.lineJoin = 'round';
    pen.setLineDash(curve.dash);
    pen.stroke();
    pen.restore();
  }

  setTime(time) {
    this.time = time;
    const frame = frameAt(this.scene.times, time);
    const pen = this.moving.getContext('2d');
    pen.clearRect(0, 0, this.width, this.height);
    const x = this.x(time);
    for (const pane of this.panes) {
      pen.strokeStyle = this.colors.cursor;
      pen.lineWidth = 1.2;
      pen.beginPath();
      pen.moveTo(x, pane.top);
      pen.lineTo(x, pane.bottom);
      pen.stroke();
      for (const curve of pane.curves) {
        const value = valueAt(curve.values, frame);
        if (!Number.isFinite(value)) continue;
        pen.fillStyle = curve.color;
        pen.strokeStyle = this.colors.dark ? '#171b21' : '#ffffff';
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.arc(x, pane.y(value), 4.2, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
      }
    }
    this.curves.forEach((curve, k) => {
      this.entries[k].value.textContent = quantityText(valueAt(curve.values, frame), curve.unit);
    });
  }
}
