// SPDX-License-Identifier: Apache-2.0
// Marks all that belongs to one component: what the pointer is on, or what was pinned by a click.
import {button, html, icon} from './dom.js';
import {afterRender} from './math.js';

const known = ['electrical', 'rotational', 'translational', 'hydraulic', 'thermal', 'signal', 'mechanics'];
const components = new Map();
let marked;   // the component that is marked now
let kind;     // the class that gives its colour
let pinned;
let at = -1;  // the place that was jumped to last
let bar;

/** The domain by which something is coloured. */
export function domainClass(domains) {
  for (const domain of domains ?? []) {
    const name = domain.toLowerCase();
    const found = known.find((each) => name.startsWith(each)) ?? (name.startsWith('mechanic') ? 'mechanics' : undefined);
    if (found) return `d-${found}`;
  }
  return 'd-other';
}

/** Many components that are shown as one: what is drawn for them is marked as if they were one. */
export function addGroup(id, members) {
  const [first] = members;
  const {class: type, domains} = component(first);
  if (!components.has(id)) components.set(id, {id, class: type, description: `${members.length} components, summed`, domains});
}

export const component = (id) => components.get(id) ?? {id, domains: []};
/** The component that a name such as `motor` or `motor.i` speaks of. */
export function ownerOf(name) {
  for (let id = name; id !== ''; id = id.slice(0, Math.max(id.lastIndexOf('.'), 0))) {
    if (components.has(id)) return id;
  }
  return undefined;
}

export const colorOf = (id) => `var(--${domainClass(component(id).domains).slice(2)})`;

const selector = (id) => `[data-component="${CSS.escape(id)}"]`;

function set(id) {
  if (id === marked) return;
  if (marked !== undefined) {
    for (const element of document.querySelectorAll('.marked')) element.classList.remove('marked', kind);
  }
  marked = id;
  at = -1;
  if (id !== undefined) {
    kind = domainClass(component(id).domains).replace('d-', 'm-');
    for (const element of document.querySelectorAll(selector(id))) element.classList.add('marked', kind);
  }
  show();
}

/** For what comes into the page later. */
export function markIn(element) {
  if (marked === undefined) return;
  for (const each of element.querySelectorAll(selector(marked))) each.classList.add('marked', kind);
}

function places() {
  const all = [...document.querySelectorAll(`main ${selector(marked)}`)];
  // The outermost ones, and of a picture only one: there is nothing to scroll to between them.
  const result = [];
  let last;
  for (const element of all) {
    if (last?.contains(element)) continue;
    const picture = element.closest('figure');
    if (picture && picture === last) continue;
    last = picture ?? element.closest('.equation, tr, p') ?? element;
    if (result[result.length - 1] !== last) result.push(last);
  }
  return result;
}

function jump(step) {
  const all = places();
  if (all.length === 0) return;
  if (at < 0 && step < 0) at = 0;
  at = (at + step + all.length) % all.length;
  for (let fold = all[at].closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  all[at].scrollIntoView({block: 'center', behavior: 'auto'});
  all[at].classList.add('arrived');
  setTimeout((element) => element.classList.remove('arrived'), 900, all[at]);
  bar.querySelector('.places').textContent = `${at + 1} of ${all.length}`;
}

function show() {
  bar.classList.toggle('shown', marked !== undefined);
  bar.classList.toggle('pinned', pinned !== undefined);
  if (marked === undefined) return;
  const {id, class: type, description, domains, line} = component(marked);
  bar.className = `shown ${pinned === undefined ? '' : 'pinned'} ${kind}`;
  bar.querySelector('.facts').replaceChildren(
      html('b', {}, id), ...(type ? [html('code', {}, type)] : []),
      ...(description ? [html('span', {class: 'description'}, description)] : []),
      ...(domains ?? []).map((domain) => html('span', {class: `chip ${domainClass([domain])}`}, domain)),
      ...(line ? [html('span', {class: 'soft'}, `line ${line}`)] : []));
  bar.querySelector('.places').textContent = pinned === undefined ? 'click to pin' : `${places().length} places`;
}

export function pin(id) {
  pinned = id === pinned ? undefined : id;
  set(pinned);
  show();
}

const under = (event) => event.target.closest?.('[data-component]')?.dataset.component;

export function startMarks(list) {
  for (const each of list ?? []) components.set(each.id, each);
  bar = html('div', {id: 'cr-bar', role: 'status', 'aria-label': 'Component'}, html('div', {class: 'facts'}),
      html('div', {class: 'pins'}, html('span', {class: 'places soft'}), button('Place before (P)', () => jump(-1), icon('up')),
          button('Next place (N)', () => jump(1), icon('down')), button('Release (Esc)', () => pin(undefined), icon('close'))));
  document.body.append(bar);
  document.addEventListener('pointerover', (event) => {
    if (pinned === undefined && !bar.contains(event.target)) set(under(event));
  });
  document.documentElement.addEventListener('pointerleave', () => {
    if (pinned === undefined) set(undefined);
  });
  document.addEventListener('focusin', (event) => {
    if (pinned === undefined && event.target.matches?.(':focus-visible')) set(under(event));
  });
  let from;
  document.addEventListener('pointerdown', (event) => from = event);
  document.addEventListener('click', (event) => {
    const id = under(event);
    const control = event.target.closest('button, a, input, label, summary');
    if (id === undefined || (control && !control.dataset.component)) return;
    // What ends a drag, or a selection of text, is no click.
    if (from && event.detail > 0 && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > 5) return;
    pin(id);
  });
  document.addEventListener('keydown', (event) => {
    if (event.target.matches('input:not([type=range]):not([type=checkbox]), select, textarea') && event.key !== 'Escape') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      pinned = undefined;
      set(undefined);
      show();
    } else if (pinned !== undefined && (event.key === 'n' || event.key === 'p')) {
      jump(event.key === 'n' ? 1 : -1);
    }
  });
  afterRender(markIn);
}
