// SPDX-License-Identifier: Apache-2.0
// Formulas: rendered by KaTeX when they come near the window, or all at once.
import katex from 'katex';

const waiting = new Map();  // element -> its LaTeX
const groups = new Map();   // what is watched -> the elements in it
const queue = new Set();
const after = new Set();
const slice = 50;  // ms of work in one go: less, and the browser would lay out the page more often than work
let scheduled = false;
let everything = false;
let seen = false;

const options = {
  throwOnError: true, displayMode: false, strict: false, output: 'htmlAndMathml', maxExpand: 10000,
  trust: ({command}) => command === '\\htmlData',
};

/** What stands there until it is rendered. */
const plain = (latex) => latex.replace(/\\htmlData{[^}]*}/g, '').replace(/\\(mathrm|text|dot|ddot|operatorname)\b/g, '').replace(/[{}\\]/g, '');

/** The dot stands on the letter, not on the middle of letter and index. */
const dots = /\\(d?dot)\s*{((?:\\htmlData{[^{}]*}{)?)(\\?[a-zA-Z]+)_((?:[^{}\\]|{(?:[^{}]|{[^{}]*})*}))(}?)}/g;
const placed = (latex) => latex.replace(dots, (all, dot, open, base, index, close) =>
  ((open !== '') === (close !== '') && (base.startsWith('\\') || base.length === 1) ? `${open}\\${dot}{${base}}_${index}${close}` : all));

/** Names with `_` stand in \text as they are. */
const escaped = (latex) => latex.replace(/\\text{([^{}]*)}/g, (all, text) => `\\text{${text.replace(/(^|[^\\])([_%#&])/g, '$1\\$2')}}`);

function render(element) {
  const latex = waiting.get(element);
  if (latex === undefined) return;
  waiting.delete(element);
  queue.delete(element);
  element.classList.remove('waiting');
  const group = element.group ?? element;
  groups.get(group)?.delete(element);
  if (groups.get(group)?.size === 0) {
    groups.delete(group);
    observer.unobserve(group);
  }
  try {
    katex.render((element.dataset.display ? '\\displaystyle ' : '') + placed(escaped(latex)), element, options);
  } catch (error) {
    console.warn(`cannot be set as a formula: ${latex}: ${error.message}`);
    element.textContent = latex;
    element.classList.add('failed');
    element.title = error.message;
  }
  for (const call of after) call(element);
}

function work() {
  scheduled = false;
  const end = performance.now() + (everything ? 4 : 1) * slice;
  for (const element of queue) {
    queue.delete(element);
    render(element);
    if (performance.now() > end) break;
  }
  if (queue.size > 0) schedule();
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  // Not by animation frames alone: pages in the background have none.
  setTimeout(work, 0);
}

const observer = new IntersectionObserver((entries) => {
  seen = true;
  for (const {target, isIntersecting} of entries) {
    for (const element of groups.get(target) ?? []) {
      if (isIntersecting) queue.add(element);
      else if (!everything) queue.delete(element);
    }
  }
  schedule();
}, {rootMargin: '700px 1200px'});

/** Puts the formula into the element, now or when it (or the group that it is in) comes near the window. */
export function formula(element, latex, {display = false, now = false, group = element} = {}) {
  element.classList.add('math');
  if (display) element.dataset.display = 'yes';
  waiting.set(element, latex);
  if (now || everything) {
    render(element);
    return element;
  }
  element.textContent = plain(latex);
  element.classList.add('waiting');
  if (group !== element) element.group = group;
  if (groups.has(group)) {
    groups.get(group).add(element);
  } else {
    groups.set(group, new Set([element]));
    observer.observe(group);
  }
  return element;
}

export function renderAll() {
  for (const element of [...waiting.keys()]) render(element);
}

/** All of them, one after the other, so that the page can be used meanwhile; what comes later is rendered at once. */
export function renderAllFromNowOn() {
  everything = true;
  for (const element of waiting.keys()) queue.add(element);
  schedule();
}

/** Called with every element that has just got its formula. */
export const afterRender = (call) => after.add(call);

/** When all formulas near the window are there. */
export async function settled() {
  for (let k = 0; k < 600 || everything; ++k) {
    if ((seen || waiting.size === 0) && queue.size === 0) return;
    await new Promise((done) => setTimeout(done, 10));
  }
}
