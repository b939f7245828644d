// SPDX-License-Identifier: Apache-2.0
// A drawing that came with the report: made fit for light and dark, and for being zoomed.
import {html} from './dom.js';
import {zoomable} from './zoom.js';

const domains = {
  '#1f6fd6': 'electrical', '#e07b00': 'rotational', '#3c8c2a': 'translational', '#0a8f8f': 'hydraulic', '#d23b2f': 'thermal', '#c2188f': 'signal', '#4d6470': 'mechanics',
};
const names = {black: '#000000', white: '#ffffff', gray: '#808080', grey: '#808080', lightgray: '#d3d3d3', lightgrey: '#d3d3d3'};
const readable = 0.85;  // of the natural size, with texts of 9 and 11 pixels
let count = 0;

/** Greys run from paper to ink, whichever of them is dark; the colours of the domains are the page's own. */
function adapted(color) {
  let text = color.trim().toLowerCase();
  text = names[text] ?? text;
  if (/^#[0-9a-f]{3}$/.test(text)) text = text.replace(/[0-9a-f]/g, '$&$&');
  if (domains[text]) return `var(--${domains[text]})`;
  if (!/^#[0-9a-f]{6}$/.test(text)) return undefined;
  const parts = [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
  if (Math.max(...parts) - Math.min(...parts) > 28) return undefined;
  const ink = 100 * (1 - (parts[0] + parts[1] + parts[2]) / 765);
  return `color-mix(in srgb, var(--ink) ${ink.toFixed(0)}%, var(--panel))`;
}

function adapt(element) {
  for (const name of ['fill', 'stroke', 'stop-color']) {
    const value = element.getAttribute(name) ?? element.style.getPropertyValue(name);
    const next = value && adapted(value);
    if (next) element.style.setProperty(name, next);
  }
}

/** The same for a style sheet; what it says for dark follows the choice of the reader. */
const sheet = (text, prefix) => text.replace(/\b(fill|stroke|color)(\s*:\s*)([^;}]+)/g, (all, name, between, value) => `${name}${between}${adapted(value) ?? value}`)
    .replace(/url\(["']?#([^)"']+)["']?\)/g, `url(#${prefix}$1)`)
    .replace(/@media\s*(screen\s+and\s*)?\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/g, ':root[data-theme="$2"] &');

/** Names inside of one drawing are its own. */
function rename(root, prefix) {
  const ids = new Set();
  for (const element of root.querySelectorAll('[id]')) {
    ids.add(element.id);
    element.id = prefix + element.id;
  }
  if (ids.size === 0) return;
  for (const element of root.querySelectorAll('*')) {
    for (const {name, value} of [...element.attributes]) {
      if (!value.includes('#')) continue;
      const next = value.replace(/url\(["']?#([^)"']+)["']?\)/g, (text, id) => (ids.has(id) ? `url(#${prefix}${id})` : text));
      const link = /^(xlink:)?href$/.test(name) && ids.has(value.slice(1)) ? `#${prefix}${value.slice(1)}` : next;
      if (link !== value) element.setAttribute(name, link);
    }
  }
}

function clean(root) {
  for (const element of root.querySelectorAll('script, foreignObject')) element.remove();
  for (const element of root.querySelectorAll('*')) {
    for (const {name} of [...element.attributes]) if (/^on/i.test(name)) element.removeAttribute(name);
  }
}

/** Thin lines are hard to point at: each gets a wide, invisible one. */
function widen(drawing) {
  for (const line of drawing.querySelectorAll('path, line, polyline')) {
    const owner = line.closest('[data-component]');
    if (!owner || line.closest('defs, marker, symbol')) continue;
    if (line.localName !== 'line' && getComputedStyle(line).fill !== 'none') continue;
    const hit = line.cloneNode(false);
    for (const name of ['id', 'style', 'class', 'marker-end', 'marker-start', 'marker-mid', 'stroke-dasharray']) hit.removeAttribute(name);
    hit.setAttribute('class', 'hit');
    line.after(hit);
  }
}

export function graph({title, svg: source}) {
  const room = html('div', {class: 'graph-room'});
  const template = document.createElement('template');
  template.innerHTML = source ?? '';
  const drawing = template.content.querySelector('svg');
  const figure = html('figure', {class: 'graph'}, ...(title ? [html('figcaption', {}, title)] : []), room);
  if (!drawing) {
    room.append(html('p', {class: 'soft'}, 'There is no drawing.'));
    return figure;
  }
  const prefix = `g${++count}-`;
  room.id = `cr-graph-${count}`;
  clean(drawing);
  rename(drawing, prefix);
  // Its style sheet is for this drawing only.
  for (const style of drawing.querySelectorAll('style')) style.textContent = `#${room.id} { ${sheet(style.textContent, prefix)} }`;
  for (const element of [drawing, ...drawing.querySelectorAll('*')]) adapt(element);
  const size = (name) => parseFloat(drawing.getAttribute(name)) || undefined;
  const [width, height] = [size('width') ?? 640, size('height') ?? 400];
  if (!drawing.hasAttribute('viewBox')) drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
  drawing.removeAttribute('width');
  drawing.removeAttribute('height');
  const [, , wide, high] = drawing.getAttribute('viewBox').trim().split(/[\s,]+/).map(Number);
  const natural = size('width') ?? wide;
  figure.style.setProperty('--natural', `${Math.ceil(natural) + 38}px`);
  // No smaller than can be read: what is wider than the page is moved in its own box.
  drawing.style.width = `max(min(100%, ${natural}px), ${Math.round(readable * natural)}px)`;
  drawing.style.aspectRatio = `${wide} / ${high}`;
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', `${title ?? 'Drawing'}; plus and minus zoom, arrows move`);
  room.append(html('div', {class: 'graph-scroll'}, drawing));
  room.append(html('div', {class: 'tools'}, ...zoomable(drawing)));
  // Once it stands in the page, and its style is known.
  setTimeout(widen, 0, drawing);
  return figure;
}
