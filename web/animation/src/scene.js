// SPDX-License-Identifier: Apache-2.0
// The scene as src/animation/animation_page.cc writes it: JSON, with arrays over time as base64 of little-endian numbers.

function bytesOf(text) {
  const raw = atob(text || '');
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Numbers of 4 or 8 bytes; DataView, so that the order of bytes is that of the file and not of the machine. */
function numbersOf(text, width) {
  const bytes = bytesOf(text);
  const view = new DataView(bytes.buffer);
  const count = Math.floor(bytes.length / width);
  const numbers = width === 4 ? new Float32Array(count) : new Float64Array(count);
  for (let k = 0; k < count; ++k) {
    numbers[k] = width === 4 ? view.getFloat32(4 * k, true) : view.getFloat64(8 * k, true);
  }
  return numbers;
}

const finite = (list) => (list || []).map((x) => (Number.isFinite(x) ? x : 0));

export function readScene(text) {
  const scene = JSON.parse(text);
  scene.times = numbersOf(scene.times, 8);
  scene.up = finite(scene.up);
  scene.gravity = finite(scene.gravity);
  if (Math.hypot(...scene.up) < 1e-9) scene.up = [0, 0, 1];
  for (const body of scene.bodies) {
    body.poses = numbersOf(body.poses, 4);
    body.trace = finite(body.trace);
    for (const shape of body.shapes) {
      shape.size = finite(shape.size);
      shape.place = finite(shape.place);
      shape.turn = finite(shape.turn);
      if (Math.hypot(...shape.turn) < 1e-9) shape.turn = [1, 0, 0, 0];
    }
  }
  for (const joint of scene.joints) {
    joint.place = finite(joint.place);
    joint.axis = finite(joint.axis);
  }
  for (const arrow of scene.arrows) {
    arrow.place = finite(arrow.place);
    arrow.offset = finite(arrow.offset);
    arrow.vectors = numbersOf(arrow.vectors, 4);
  }
  for (const link of scene.links) link.places = link.places.map(finite);
  for (const curve of scene.curves) curve.values = numbersOf(curve.values, 4);
  return scene;
}

/** Where `time` stands among rising `times`: the frame at or before it, and how far it is on the way to the next. */
export function frameAt(times, time) {
  const last = times.length - 1;
  if (last < 1 || !(time > times[0])) return {index: 0, part: 0};
  if (time >= times[last]) return {index: last, part: 0};
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const step = times[high] - times[low];
  return {index: low, part: step > 0 ? (time - times[low]) / step : 0};
}

/** A value between two frames; NaN where one of them is. */
export function valueAt(values, frame) {
  const a = values[Math.min(frame.index, values.length - 1)];
  if (frame.part === 0 || frame.index + 1 >= values.length) return a;
  return a + (values[frame.index + 1] - a) * frame.part;
}

/** 1, 2 or 5 times a power of ten, near x and not above it. */
export function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
