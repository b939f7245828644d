// SPDX-License-Identifier: Apache-2.0
// A small picture of a page that `cotree animate` wrote, as the examples have: node picture.mjs PAGE TIME OUTPUT.
// Half of 1200 x 700 pixels, in at most 96 colours.
import {writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {deflateSync, inflateSync} from 'node:zlib';

import {Browser} from './browser.mjs';

/** Red, green, blue of a PNG as Chromium writes it: 8 bits, no palette, not interlaced. */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const step = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * step;
  const out = Buffer.alloc(line * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; ++x) {
      const at = y * line + x;
      const left = x >= step ? out[at - step] : 0;
      const up = y > 0 ? out[at - line] : 0;
      const corner = x >= step && y > 0 ? out[at - line - step] : 0;
      const near = [left, up, corner].map((v) => Math.abs(left + up - corner - v));
      const paeth = near[0] <= near[1] && near[0] <= near[2] ? left : near[1] <= near[2] ? up : corner;
      out[at] = raw[y * (line + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  return {width, height, step, out};
}

/** Every four pixels as one: [r, g, b]. */
function half({width, step, height, out}) {
  const pixels = [];
  for (let y = 0; y + 1 < height; y += 2) {
    for (let x = 0; x + 1 < width; x += 2) {
      const mean = (k) => {
        const at = (y * width + x) * step + k;
        return (out[at] + out[at + step] + out[at + width * step] + out[at + (width + 1) * step] + 2) >> 2;
      };
      pixels.push([mean(0), mean(1), mean(2)]);
    }
  }
  return pixels;
}

/** Colours by median cut; `of` says which one a pixel has. */
function palette(pixels, count) {
  const boxes = [pixels.map((_, k) => k)];
  const widest = (box) => {
    let best = {spread: 0, axis: 0};
    for (let axis = 0; axis < 3; ++axis) {
      let low = 255;
      let high = 0;
      for (const k of box) {
        low = Math.min(low, pixels[k][axis]);
        high = Math.max(high, pixels[k][axis]);
      }
      if (high - low > best.spread) best = {spread: high - low, axis};
    }
    return {...best, weight: best.spread * Math.sqrt(box.length)};
  };
  const sizes = boxes.map(widest);
  while (boxes.length < count) {
    const k = sizes.reduce((most, size, i) => (size.weight > sizes[most].weight ? i : most), 0);
    if (sizes[k].spread === 0) break;
    const {axis} = sizes[k];
    const box = boxes[k].sort((a, b) => pixels[a][axis] - pixels[b][axis]);
    boxes[k] = box.slice(0, box.length >> 1);
    boxes.push(box.slice(box.length >> 1));
    sizes[k] = widest(boxes[k]);
    sizes.push(widest(boxes[boxes.length - 1]));
  }
  const of = new Uint8Array(pixels.length);
  const colors = boxes.map((box, number) => {
    const sum = [0, 0, 0];
    for (const k of box) {
      of[k] = number;
      for (let axis = 0; axis < 3; ++axis) sum[axis] += pixels[k][axis];
    }
    return sum.map((x) => Math.round(x / box.length));
  });
  return {of, colors};
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function encode({of, colors}, width, height) {
  const chunk = (type, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length);
    out.write(type, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y) rows.set(of.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk('IHDR', head),
                        chunk('PLTE', Buffer.from(colors.flat())), chunk('IDAT', deflateSync(rows, {level: 9})),
                        chunk('IEND', Buffer.alloc(0))]);
}

const [page, time, output] = process.argv.slice(2);
const browser = new Browser();
try {
  await browser.open(`file://${resolve(page)}#t=${time}`, {width: 1200, height: 700});
  await browser.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  writeFileSync(output, encode(palette(half(decode(await browser.picture())), 96), 600, 350));
} finally {
  await browser.close();
}
