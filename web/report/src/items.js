// SPDX-License-Identifier: Apache-2.0
// The items of a section: text, lists, tables, equations, matrices, code, folds; the pictures are elsewhere.
import {html, of} from './dom.js';
import {energy} from './energy.js';
import {graph} from './graph.js';
import {markIn, ownerOf} from './mark.js';
import {formula} from './math.js';
import {pattern} from './pattern.js';
import {plot} from './plot.js';

const rowsAtFirst = 300;
const equationsInPart = 16;
const longFormula = 6000;  // letters of LaTeX; longer ones come on demand
const wideMatrix = 92;     // letters that fit beside each other
const longEntry = 16;      // letters; longer entries of a matrix that is too wide get a name

/** About as many letters as are seen of it; indices are small. */
const lettersOf = (latex) => {
  const bare = (latex ?? '').replace(/\\htmlData{[^}]*}/g, '').replace(/\\(mathrm|text|left|right|displaystyle|operatorname|begin|end|quad)\b/g, '').replace(/\\[,;:! ]/g, '');
  const small = [...bare.matchAll(/[_^]{((?:[^{}]|{[^{}]*})*)}/g)].reduce((sum, [, text]) => sum + text.replace(/\\[a-z]+/gi, 'x').replace(/[{}\\]/g, '').length, 0);
  const all = bare.replace(/\\[a-z]+/gi, 'x').replace(/[{}_^\\ ]/g, '').length;
  // Of a fraction, the larger part counts.
  return (all - 0.35 * small) * (/\\frac/.test(bare) ? 0.62 : 1);
};

/** A sentence with `code` and $latex$. */
export function rich(text, math = true) {
  const parts = [];
  const find = math ? /`([^`]+)`|\$([^$]+)\$/g : /`([^`]+)`/g;
  let end = 0;
  for (const match of (text ?? '').matchAll(find)) {
    parts.push(text.slice(end, match.index));
    parts.push(match[1] !== undefined ? html('code', of(ownerOf(match[1])), match[1]) : formula(html('span'), match[2]));
    end = match.index + match[0].length;
  }
  parts.push((text ?? '').slice(end));
  return parts;
}

/** Numbers with a true minus, and not torn from their per cent; a lone minus is a dash. */
const tidy = (text) => (text === '-' ? '–' : text.replace(/(\d) %/g, '$1\u00a0%').replace(/(^|[\s(±])-(?=\d)/g, '$1−'));

const cell = (value) => {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? [formula(html('span'), value.latex ?? '')] : rich(tidy(String(value)), false);
};

function table({columns = [], rows = []}) {
  const body = html('tbody');
  const add = (from, to) => {
    for (const {cells = [], component} of rows.slice(from, to)) {
      body.append(html('tr', of(component), ...cells.map((value, k) => html('td', {class: columns[k]?.align === 'right' ? 'right' : undefined}, ...cell(value)))));
    }
  };
  add(0, rowsAtFirst);
  const head = columns.some(({title}) => title) ?
      [html('thead', {}, html('tr', {}, ...columns.map(({title, align}) => html('th', {scope: 'col', class: align === 'right' ? 'right' : undefined}, ...rich(title)))))] : [];
  const room = html('div', {class: 'table-room', tabindex: rows.length > 0 && columns.length > 5 ? '0' : undefined},
      html('table', {class: rows.some(({component}) => component) ? 'owned' : undefined}, ...head, body));
  if (rows.length <= rowsAtFirst) return room;
  const more = html('p', {class: 'more'}, html('span', {class: 'soft'}, `${rowsAtFirst} of ${rows.length} rows `),
      html('button', {
        type: 'button',
        onclick: () => {
          more.remove();
          let next = rowsAtFirst;
          const step = () => {
            add(next, next + 500);
            next += 500;
            if (next < rows.length) setTimeout(step, 0);
            else markIn(body);
          };
          step();
        },
      }, 'Show all'));
  return html('div', {}, room, more);
}

/** The right side of an equation; one that nobody reads is made for who asks for it. */
function side(latex, group) {
  if (latex.length <= longFormula) return formula(html('div', {class: 'side'}), latex, {display: true, group});
  const kilo = (latex.length / 1000).toFixed(0);
  const place = html('div', {class: 'side long'}, html('span', {class: 'soft'}, `a long expression, ${kilo} 000 letters `), html('button', {
    type: 'button',
    onclick: () => {
      place.classList.remove('long');
      place.replaceChildren();
      formula(place, latex, {display: true, now: true});
    },
  }, 'Show'));
  return place;
}

function equations({rows = []}) {
  const box = html('div', {class: 'equations'});
  // In parts, of which the browser lays out only those that are near; their left sides are as wide as the widest.
  const parts = rows.length > 2 * equationsInPart;
  let part = html('div', {class: parts ? 'part far' : 'part'});
  box.append(part);
  // The widest left sides are there at once, so that nothing moves when the others come.
  const lengths = rows.map(({left}) => lettersOf(left));
  const widest = new Set(rows.length > 8 ? lengths.map((_, k) => k).filter((k) => lengths[k] > 0).sort((a, b) => lengths[b] - lengths[a]).slice(0, 6) : []);
  rows.forEach(({left, right, component, label, note}, k) => {
    if (parts && k > 0 && k % equationsInPart === 0) box.append(part = html('div', {class: 'part far'}));
    const group = part;
    const row = html('div', {class: left ? 'equation' : 'equation whole', ...of(component)});
    if (left) {
      row.append(formula(html('div', {class: 'left'}), left, {display: true, now: widest.has(k), group}), html('div', {class: 'is', 'aria-hidden': 'true'}, '='));
    }
    row.append(side(right ?? '', group));
    if (note) row.append(html('div', {class: 'note'}, ...rich(note)));
    if (label) row.append(html('div', {class: 'number'}, `(${label})`));
    part.append(row);
  });
  if (parts && widest.size > 0) {
    const all = box.querySelectorAll('.equation');
    const lefts = [...widest].map((k) => all[k].querySelector('.left'));
    setTimeout(() => {
      const ruler = html('div', {class: 'ruler'}, ...lefts.map((left) => html('div', {}, left.cloneNode(true))));
      document.body.append(ruler);
      box.style.setProperty('--left', `${Math.ceil(ruler.getBoundingClientRect().width)}px`);
      ruler.remove();
    }, 0);
  }
  return box;
}

/** A matrix too wide to be read gets short names for its long entries, which follow as equations. */
function matrix(item) {
  const {name, rows = [], columns = [], entries = []} = item;
  const widths = columns.map((column, c) => Math.max(lettersOf(column?.latex), ...rows.map((_, r) => lettersOf(entries[r]?.[c]))) + 2.5);
  const labels = Math.max(0, ...rows.map((row) => lettersOf(row?.latex)));
  const huge = entries.some((row) => row?.some((latex) => (latex ?? '').length > longFormula));
  if (!huge && labels + widths.reduce((sum, each) => sum + each, 0) <= wideMatrix) return grid(item);
  const letter = /^[A-Z]/.exec(name ?? '')?.[0] ?? 'E';  // M_{12}: an entry of M, and no name of the model
  const named = [];
  const known = new Map();
  const short = rows.map((row, r) => columns.map((column, c) => {
    const latex = entries[r]?.[c];
    if (!latex || lettersOf(latex) <= longEntry) return latex;
    // What is there twice (a symmetric matrix) has one name; so has its negative.
    if (known.has(latex)) return known.get(latex);
    const symbol = columns.length === 1 ? `${letter}_{${r + 1}}` : `${letter}_{${r + 1}${rows.length > 9 || columns.length > 9 ? ',' : ''}${c + 1}}`;
    known.set(latex, symbol);
    named.push({left: symbol, right: latex, component: row?.component});
    return symbol;
  }));
  if (named.length === 0) return grid(item);
  return html('div', {class: 'named'}, grid({...item, entries: short}), html('p', {class: 'with soft'}, 'with'), equations({rows: named}));
}

const plainText = /^\\text{([^{}\\]|\\_)*}$/;

function grid({name, rows = [], columns = [], entries = []}) {
  // Many narrow columns: their names stand upright.
  const turned = columns.length > 8 && columns.every((column) => plainText.test(column?.latex ?? '')) && entries.every((row) => row?.every((latex) => lettersOf(latex) <= 3));
  const label = (tag, {latex, component} = {}, k) => html(tag, {...of(component), scope: tag === 'th' ? k : undefined}, latex ? formula(html('span'), latex) : '');
  const body = rows.map((row, r) => {
    const group = html('tr');
    group.append(label('th', row, 'row'), html('td', {class: 'open'}),
      ...columns.map((column, c) => {
        const latex = entries[r]?.[c];
        return latex ? html('td', {class: 'entry'}, formula(html('span'), latex, {display: columns.length <= 8, group})) : html('td', {class: 'zero'}, '0');
      }), html('td', {class: 'close'}));
    return group;
  });
  const head = columns.some((column) => lettersOf(column?.latex) > 0) ?
      [html('thead', {}, html('tr', {}, html('th'), html('td'), ...columns.map((column) => (turned ? html('th', {...of(column?.component), scope: 'col'}, html('span', {}, column.latex.slice(6, -1).replaceAll('\\_', '_'))) : label('th', column, 'col'))), html('td')))] : [];
  return html('div', {class: `matrix${columns.length > 8 ? ' many' : ''}${turned ? ' turned' : ''}`, tabindex: columns.length > 6 ? '0' : undefined},
      name ? html('div', {class: 'name'}, formula(html('span'), `${name} =`)) : '', html('table', {}, ...head, html('tbody', {}, ...body)));
}

const kinds = {
  text: ({text, component}) => html('p', of(component), ...rich(text)),
  list: ({items: entries = []}) => html('ul', {}, ...entries.map((text) => html('li', {}, ...rich(text)))),
  table, equations, matrix, graph, pattern, plot, energy,
  code: ({text}) => html('pre', {tabindex: '0'}, html('code', {}, text ?? '')),
  details: ({title, items: inner = []}) => {
    const fold = html('details', {}, html('summary', {}, ...rich(title)));
    // What nobody opens is not made.
    let made = false;
    fold.make = () => {
      if (made) return;
      made = true;
      fold.append(html('div', {class: 'inside'}, ...items(inner)));
      markIn(fold);
    };
    fold.addEventListener('toggle', () => fold.make());
    return fold;
  },
};

/** Two patterns without names stand side by side. */
const paired = (a, b) => [a, b].every((item) => item?.kind === 'pattern' && item.rows?.length > 48 && item.rows.length <= 220);

export function items(list = []) {
  const made = all(list);
  for (let k = 0; k + 1 < list.length; ++k) {
    if (paired(list[k], list[k + 1])) {
      made[k] = html('div', {class: 'pair'}, made[k], made[k + 1]);
      made[++k] = undefined;
    }
  }
  return made.filter((each) => each !== undefined);
}

function all(list) {
  return (list ?? []).map((item) => {
    const make = kinds[item?.kind];
    if (!make) {
      console.warn(`no such kind of item: ${item?.kind}`);
      return html('pre', {}, html('code', {}, JSON.stringify(item, null, 1).slice(0, 2000)));
    }
    try {
      return make(item);
    } catch (error) {
      // One bad item must not take the page.
      console.error(error);
      return html('p', {class: 'failed'}, `This ${item.kind} could not be shown: ${error.message}`);
    }
  });
}

/** Opens or makes all folds, also those inside of others. */
export function makeFolds(open) {
  for (let again = true; again;) {
    again = false;
    for (const fold of document.querySelectorAll('details')) {
      if (fold.dataset.made) continue;
      fold.dataset.made = 'yes';
      fold.make?.();
      again = true;
    }
  }
  if (!open) return () => {};
  const shut = [...document.querySelectorAll('details:not([open])')];
  for (const fold of shut) fold.open = true;
  return () => {
    for (const fold of shut) fold.open = false;
  };
}
