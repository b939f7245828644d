// SPDX-License-Identifier: Apache-2.0
// A small box beside the pointer.
import {html} from './dom.js';

let box;

export function tip(event, ...lines) {
  if (!box) document.body.append(box = html('div', {id: 'cr-tip', role: 'tooltip'}));
  box.replaceChildren(...lines.map((line) => html('div', {}, ...[line].flat())));
  box.style.display = 'block';
  const {width, height} = box.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const x = event.clientX + 16 + width > room ? event.clientX - width - 12 : event.clientX + 16;
  const y = event.clientY + 18 + height > window.innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  box.style.transform = `translate(${Math.max(4, Math.round(x))}px, ${Math.max(4, Math.round(y))}px)`;
}

window.addEventListener('scroll', () => hideTip(), {passive: true});

export function hideTip() {
  if (box) box.style.display = 'none';
}
