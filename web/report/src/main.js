// SPDX-License-Identifier: Apache-2.0
// The report page: makes it from the JSON in <script id="report">. window.reportReady is true when it can be read.
// `#all` in the address renders all formulas at once.
import {button, drawAll, html, icon, of} from './dom.js';
import {items, makeFolds, rich} from './items.js';
import {component, domainClass, startMarks} from './mark.js';
import {afterRender, renderAll, renderAllFromNowOn, settled} from './math.js';
import css from './page.css';
import {startTheme, toggleTheme} from './theme.js';

/** A section without a title is called by its id. */
const titleOf = ({title, id}) => title || (id ? id[0].toUpperCase() + id.slice(1).replace(/_/g, ' ') : 'Section');

const schema = 'cotree.report/1';
const filterFrom = 16;

function sectionId(section, taken) {
  let id = section.id || 'section';
  while (taken.has(id) || document.getElementById(id)) id = `${id}-`;
  taken.add(id);
  return id;
}

const linksTo = (sections) => html('ol', {}, ...sections.map(({id, title}) => html('li', {}, html('a', {href: `#${encodeURIComponent(id)}`}, ...rich(title)))));
const contents = (sections) => html('nav', {'aria-label': 'Contents'}, html('h2', {}, 'Contents'), linksTo(sections));
/** For narrow windows: folded, below the title. */
const foldedContents = (sections) => html('details', {id: 'cr-contents', 'data-made': 'yes'}, html('summary', {}, 'Contents'), linksTo(sections));

/** What is wider than its box gets a bar that can be seen. */
function watchWidths() {
  const boxes = '.table-room, .matrix, .equation .side, .equation .left, pre, .graph-scroll';
  const look = () => {
    const all = [...document.querySelectorAll(boxes)].map((box) => [box, box.scrollWidth > box.clientWidth + 1]);
    for (const [box, wide] of all) {
      box.classList.toggle('scrolls', wide);
      if (wide) box.tabIndex = 0;
    }
  };
  let wanted;
  const soon = () => {
    wanted ??= setTimeout(() => {
      wanted = undefined;
      look();
    }, 60);
  };
  afterRender(soon);
  window.addEventListener('resize', soon);
  document.addEventListener('toggle', soon, true);
  soon();
}

function componentList(components) {
  const list = html('ul', {}, ...components.map(({id, class: type, domains}) => html('li', {},
      html('button', {type: 'button', class: `owner ${domainClass(domains)}`, title: type ? `${id}: ${type}` : id, ...of(id)}, html('i'), html('span', {}, id)))));
  const filter = components.length < filterFrom ? [] : [html('input', {
    type: 'search', placeholder: 'Find a component', 'aria-label': 'Find a component',
    oninput: ({target}) => {
      const wanted = target.value.toLowerCase();
      for (const item of list.children) {
        const {id, class: type, description} = component(item.firstChild.dataset.component);
        item.hidden = ![id, type, description].some((text) => (text ?? '').toLowerCase().includes(wanted));
      }
    },
  })];
  return html('div', {class: 'owners', role: 'group', 'aria-label': 'Components'}, html('h2', {}, 'Components'), ...filter, list);
}

function header({title, description, file, version, components = []}) {
  const facts = [file ? html('code', {}, file) : '', components.length > 0 ? html('span', {}, `${components.length} components`) : '', version ? html('span', {}, `Cotree ${version}`) : ''];
  return html('header', {}, html('h1', {}, title ?? 'Report'), description ? html('p', {class: 'lead'}, ...rich(description)) : '', html('p', {class: 'facts soft'}, ...facts.filter(Boolean)));
}

/** Marks in the contents where the reader is. */
function followSections(sections, side) {
  const links = new Map([...side.querySelectorAll('nav a')].map((link, k) => [sections[k].id, link]));
  let wanted = false;
  const look = () => {
    wanted = false;
    let current = sections[0];
    for (const section of sections) {
      if (section.element.getBoundingClientRect().top < 0.3 * window.innerHeight) current = section;
    }
    const end = window.scrollY + window.innerHeight > document.documentElement.scrollHeight - 4 && window.scrollY > 0;
    if (end) current = sections[sections.length - 1];
    for (const [id, link] of links) {
      if (id === current?.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  window.addEventListener('scroll', () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(look);
  }, {passive: true});
  requestAnimationFrame(look);
}

/** On paper all folds are open, all formulas there, and those too wide for it smaller. */
function preparePrint() {
  let undo = () => {};
  window.addEventListener('beforeprint', () => {
    undo = makeFolds(true);
    renderAll();
    drawAll();
    const root = document.documentElement;
    const {theme} = root.dataset;
    const shut = undo;
    root.dataset.theme = 'light';
    undo = () => {
      root.dataset.theme = theme;
      shut();
    };
    root.classList.add('measured');
    for (const box of document.querySelectorAll('.equations')) {
      const widths = [...box.querySelectorAll('.left > .katex')].map((formula) => formula.getBoundingClientRect().width);
      box.style.setProperty('--left-print', `${Math.ceil(Math.min(Math.max(0, ...widths), 260))}px`);
    }
    const wide = [...document.querySelectorAll('.equation > .side, .matrix, .table-room')]
        .map((element) => [element, element.clientWidth / element.scrollWidth]).filter(([, part]) => part < 0.995);
    root.classList.remove('measured');
    for (const [element, part] of wide) element.style.setProperty('--shrink', Math.max(part * 0.98, 0.3).toFixed(3));
  });
  window.addEventListener('afterprint', () => {
    undo();
    undo = () => {};
  });
}

async function start() {
  document.head.append(html('style', {}, css));
  document.documentElement.lang ||= 'en';
  if (!document.querySelector('meta[name=viewport]')) document.head.append(html('meta', {name: 'viewport', content: 'width=device-width, initial-scale=1'}));
  startTheme();
  const report = JSON.parse(document.getElementById('report').textContent);
  document.title = `${report.title ?? 'Report'} – Cotree`;
  startMarks(report.components);
  const taken = new Set();
  const sections = (report.sections ?? []).map((section) => ({title: titleOf(section), id: sectionId(section, taken), source: section}));
  const side = html('aside', {id: 'cr-side'}, ...(sections.length > 1 ? [contents(sections)] : []),
      ...(report.components?.length > 0 ? [componentList(report.components)] : []));
  const tools = html('div', {id: 'cr-tools'}, button('Light or dark', toggleTheme, icon('light'), icon('dark')), button('Print', () => window.print(), icon('print')));
  const main = html('main', {}, header(report), ...(sections.length > 1 ? [foldedContents(sections)] : []));
  if (report.schema !== schema) main.append(html('p', {class: 'failed'}, `This page shows ${schema}; the report is ${report.schema}.`));
  document.body.prepend(tools, side, main);
  for (const section of sections) {
    section.element = html('section', {id: section.id}, html('h2', {}, ...rich(section.title)), ...items(section.source.items));
    main.append(section.element);
  }
  followSections(sections, side);
  watchWidths();
  preparePrint();
  const all = () => {
    if (location.hash !== '#all') return;
    makeFolds(false);
    renderAllFromNowOn();
  };
  window.addEventListener('hashchange', all);
  all();
  if (location.hash.length > 1 && location.hash !== '#all') document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  await settled();
  await Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, 2000))]);
  window.reportReady = true;
}

window.reportReady = false;
start().catch((error) => {
  console.error(error);
  document.body.prepend(html('p', {style: 'margin: 2em; font-family: sans-serif'}, `This report could not be shown: ${error.message}`));
  window.reportReady = true;
});
