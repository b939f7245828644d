// SPDX-License-Identifier: Apache-2.0
// Curves over time, one pane for each unit, with a cursor that follows the time and can be dragged.
import {frameAt, niceStep, numberText, unitText, valueAt} from './scene.js';
import {theme} from './theme.js';

const font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const margin = {top: 22, right: 14, bottom: 30, between: 30};
const leastHeight = 84;
const shownAtFirst = 6;

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
    const palette = this.colors.curves;
    this.curves.forEach((curve, k) => {
      curve.color = palette[k % palette.length];
      curve.dash = [[], [6, 3], [2, 2.5]][Math.floor(k / palette.length) % 3];
      this.entries[k].swatch.style.background = curve.color;
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
      pane.ticks = ticksOf(...pane.range, Math.max(3, Math.floor(tall / 28)));
      for (const {text} of pane.ticks) wide = Math.max(wide, pen.measureText(text).width);
    });
    this.left = Math.ceil(wide) + 16;
    this.right = this.width - margin.right;
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
    const across = ticksOf(this.begin, this.end, Math.max(2, Math.floor((this.right - this.left) / 62)));
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
      pen.fillText(unitText(pane.unit) ? `in ${unitText(pane.unit)}` : 'without unit', this.left, pane.top - 10);
      for (const curve of pane.curves) this.drawCurve(pen, pane, curve, y);
      if (k === this.panes.length - 1) {
        pen.fillStyle = colors.soft;
        pen.textAlign = 'center';
        for (const {x, text} of across) pen.fillText(text, this.x(x), pane.bottom + 12);
        pen.textAlign = 'right';
        pen.fillStyle = colors.ink;
        pen.fillText('time in s', this.right, pane.bottom + 24);
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
      const unit = unitText(curve.unit);
      this.entries[k].value.textContent = numberText(valueAt(curve.values, frame)) + (unit ? ` ${unit}` : '');
    });
  }
}
