// SPDX-License-Identifier: Apache-2.0
// Small tools to make elements.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return node;
}

export const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

/** The attribute by which all that belongs to a component is found. */
export const of = (component) => (component ? {'data-component': component} : {});

const shapes = {
  plus: 'M8 3v10M3 8h10', minus: 'M3 8h10', fit: 'M2.5 6v-3.5h3.5M10 2.5h3.5v3.5M13.5 10v3.5h-3.5M6 13.5h-3.5v-3.5',
  full: 'M9.500 2.500h4v4M13.500 2.500l-4.500 4.500M6.500 13.500h-4v-4M2.500 13.500l4.500-4.500',
  up: 'M3.5 10l4.5-4.5 4.5 4.5', down: 'M3.5 6l4.5 4.5 4.5-4.5', close: 'M4 4l8 8M12 4l-8 8',
  play: 'M4.5 2.5v11l9-5.5z', pause: 'M4.5 3v10M11 3v10',
  light: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6zM8 1v1.5M8 13.500v1.5M1 8h1.5M13.5 8h1.5M3 3l1.100 1.100M11.900 11.900l1.100 1.100M3 13l1.100-1.100M11.900 4.100l1.100-1.100',
  dark: 'M13.500 9.500a6 6 0 1 1-7-7a5 5 0 0 0 7 7z', print: 'M4.500 6v-3.500h7v3.500M4.500 11h-2v-5h11v5h-2M4.500 9h7v4.500h-7z',
};

export function icon(name) {
  return svg('svg', {viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true'}, svg('path', {d: shapes[name]}));
}

export function button(label, press, ...content) {
  return html('button', {type: 'button', title: label, 'aria-label': label, onclick: press}, ...content);
}

/** About `most` round numbers from low to high, three at least, with their texts. */
export function ticksOf(low, high, most) {
  const rough = (high - low) / Math.max(most, 1);
  const ten = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.5, 1, 2, 2.5, 5, 10].map((k) => k * ten);
  const countOf = (size) => Math.floor(high / size + 1e-9) - Math.ceil(low / size - 1e-9) + 1;
  let best = steps.findIndex((size) => size >= rough * 0.8);
  while (best > 0 && countOf(steps[best]) < 3) --best;
  const step = steps[best];
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
  const large = Math.max(Math.abs(low), Math.abs(high));
  const place = Math.floor(Math.log10(step) + 1e-9) - (/^2.5/.test(step.toExponential()) ? 1 : 0);
  const plain = large < 1e5 && large >= 1e-3;
  const text = (x) => {
    if (Math.abs(x) < 1e-9 * step) return '0';
    const digits = Math.max(0, Math.floor(Math.log10(Math.abs(x)) + 1e-9) - place);
    return (plain ? x.toFixed(Math.max(0, -place)) : x.toExponential(digits).replace('e+', 'e')).replace(/-/g, '−');
  };
  return ticks.map((x) => ({x, text: text(x)}));
}

const lookers = new Set();

/** Draws at once what has come into the page just now. */
export function drawAll() {
  for (const look of lookers) look();
}

/** Calls draw(width) now and whenever the width of the element changes. */
export function onWidth(element, draw) {
  let last = 0;
  const look = () => {
    const width = Math.round(element.clientWidth);
    if (width > 0 && width !== last) draw(last = width);
  };
  lookers.add(look);
  new ResizeObserver(look).observe(element);
}
