// SPDX-License-Identifier: Apache-2.0
// Uses report pages in headless Chromium as a person would.
//   node page_test.mjs PAGE.html|REPORT.json… [--pictures FOLDER] [--strict]
// With --strict, warnings in the console fail, too.
// Prints a line for each page and exits with 1 if one of them fails. The browser is $CHROMIUM, or Debian's.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {chromium} from 'playwright-core';

import {makePage} from './make_page.mjs';

const words = process.argv.slice(2);
const flag = words.indexOf('--pictures');
const [pictures] = flag < 0 ? [] : words.splice(flag, 2).slice(1);
const strictFlag = words.indexOf('--strict');
const strict = strictFlag >= 0;
if (strict) words.splice(strictFlag, 1);
if (words.length === 0) {
  console.error('usage: node page_test.mjs PAGE.html|REPORT.json… [--pictures FOLDER] [--strict]');
  process.exit(2);
}
if (pictures) mkdirSync(pictures, {recursive: true});
const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
assert.ok(browserPath, 'no Chromium; say where it is by CHROMIUM');

// What to point at, and where that should be found; the first of each that can be seen is taken.
const targets = {
  term: ['.equation .katex [data-component]'],
  edge: ['.graph-room .hit', '.graph-room [data-component]'],
  row: ['.table-room tr[data-component]'],
  curve: ['.plot-room .hit', '.plot-room .curve'],
  cell: ['.pattern .cell[data-component]'],
  label: ['.matrix th[data-component]'],
  box: ['.flow-room .box'],
};

/** Scrolls to the first such element that is really under a point of the window; returns the point and its component. */
function findPoint(selectors) {
  for (const selector of selectors) {
    for (const element of [...document.querySelectorAll(selector)].slice(0, 60)) {
      const owner = element.closest('[data-component]')?.dataset.component;
      if (!owner || element.getClientRects().length === 0) continue;
      element.scrollIntoView({block: 'center', behavior: 'instant'});
      const points = [];
      // Along a line; the middle of its box need not be on it. Of a cell: its first square.
      if (element.getPointAtLength && element.getTotalLength() > 0) {
        const matrix = element.getScreenCTM();
        const shift = element.matches('.cell') ? 0.38 : 0;
        for (const part of shift ? Array.from({length: 25}, (_, k) => k / 25) : [0.5, 0.3, 0.7, 0.15, 0.85, 0.4, 0.6]) {
          const {x, y} = element.getPointAtLength(part * element.getTotalLength());
          points.push(new DOMPoint(x + (part === 0 ? shift : 0), y + (part === 0 ? shift : 0)).matrixTransform(matrix));
        }
      }
      const box = element.getBoundingClientRect();
      points.push({x: box.x + box.width / 2, y: box.y + box.height / 2});
      for (const {x, y} of points) {
        const hit = document.elementFromPoint(x, y)?.closest('[data-component]')?.dataset.component;
        if (hit === owner) return {x, y, owner};
      }
    }
  }
  return null;
}

const marksOf = (owner) => {
  const marked = [...document.querySelectorAll('.marked')];
  const owned = [...document.querySelectorAll('[data-component]')].filter((element) => element.dataset.component === owner);
  const set = new Set(marked);
  return {marked: marked.length, owned: owned.length, same: marked.length === owned.length && owned.every((element) => set.has(element)),
    bar: document.querySelector('#cr-bar.shown b')?.textContent};
};

/** Waits until the page says so; not by waitForFunction, which the page's own content policy forbids. */
async function until(page, test, value, most = 20000) {
  for (const end = Date.now() + most; Date.now() < end;) {
    if (await page.evaluate(test, value)) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  assert.fail(`nothing after ${most / 1000} s: ${test}`);
}

/** Such a point with the pointer on it. What was scrolled to may get its formulas only then, and move: so it is asked for until it stays. */
async function stablePoint(page, selectors) {
  let point = await page.evaluate(findPoint, selectors);
  for (let k = 0; k < 40; ++k) {
    await page.waitForTimeout(100);
    const next = await page.evaluate(findPoint, selectors);
    const same = next?.x === point?.x && next?.y === point?.y && next?.owner === point?.owner;
    point = next;
    if (!same) continue;
    if (!point) return null;
    await page.mouse.move(point.x, point.y);
    await page.waitForTimeout(60);
    const under = await page.evaluate(({x, y}) => document.elementFromPoint(x, y)?.closest('[data-component]')?.dataset.component, point);
    if (under === point.owner) return point;
    await page.mouse.move(3, 3);
  }
  return point;
}

async function use(browser, file, name) {
  const complaints = [];
  const warnings = [];
  const context = await browser.newContext({viewport: {width: 1360, height: 900}, colorScheme: 'light'});
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
    if (message.type() === 'warning') warnings.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) complaints.push(`asks the network for ${request.url().slice(0, 100)}`);
  });
  const address = pathToFileURL(file).href;
  const begin = Date.now();
  await page.goto(address, {waitUntil: 'commit'});
  await until(page, () => window.reportReady === true);
  const time = Date.now() - begin;

  const done = [];
  const sideClasses = () => page.evaluate(() => [...document.querySelectorAll('#cr-side [data-component]')].map((each) => each.className).join());
  const classes = await sideClasses();
  for (const [what, selectors] of Object.entries(targets)) {
    const present = await page.evaluate((list) => list.some((selector) => document.querySelector(selector)), selectors);
    // Formulas come when they are near.
    if (!present && what === 'term' && (await page.locator('.equation').count()) > 0) {
      await page.locator('.equation').first().scrollIntoViewIfNeeded();
      await page.waitForTimeout(300);
    } else if (!present) {
      continue;
    }
    const point = await stablePoint(page, selectors);
    if (!point) {
      // A page need not have owned symbols, but what is there must be reachable.
      if (present) assert.fail(`no ${what} can be pointed at`);
      continue;
    }
    const marks = await page.evaluate(marksOf, point.owner);
    assert.ok(marks.same && marks.marked > 0, `${what} of ${point.owner}: ${marks.marked} marked, ${marks.owned} owned`);
    assert.equal(marks.bar, point.owner, `${what}: the bar`);
    done.push(`${marks.marked} by ${what} of ${point.owner}`);
    if (what === 'term') {
      // A click pins, Esc releases.
      let pinned;
      let at = point;
      for (let k = 0; k < 4; ++k) {
        await page.mouse.click(at.x, at.y);
        await page.mouse.move(3, 3);
        pinned = await page.evaluate(marksOf, at.owner);
        // The page may still have moved under the pointer.
        if (pinned.bar === at.owner || k === 3) break;
        await page.keyboard.press('Escape');
        at = await stablePoint(page, selectors);
      }
      assert.ok(pinned.same && pinned.bar === at.owner, `a click pins ${at.owner}: ${pinned.bar} is pinned, ${pinned.marked} marked, ${pinned.owned} owned`);
      if (pictures) await page.screenshot({path: join(pictures, `${name}_pinned.png`)});
      await page.keyboard.press('Escape');
      assert.equal((await page.evaluate(marksOf, point.owner)).marked, 0, 'Esc releases');
    }
    await page.mouse.move(3, 3);
    await page.waitForTimeout(30);
    assert.equal((await page.evaluate(marksOf, point.owner)).marked, 0, `${what}: nothing stays marked`);
  }

  assert.equal(await sideClasses(), classes, 'marks leave nothing behind');

  // Wheel and double click in the graph.
  const graph = page.locator('.graph-room > svg').first();
  if (await graph.count() > 0) {
    await graph.scrollIntoViewIfNeeded();
    await page.waitForTimeout(400);
    const view = () => graph.getAttribute('viewBox');
    const home = await view();
    const box = await graph.boundingBox();
    const visible = {x: box.x + box.width / 2, y: Math.min(Math.max(box.y + box.height / 2, 20), 880)};
    await page.mouse.move(visible.x, visible.y);
    await page.mouse.wheel(0, -200);
    await page.waitForTimeout(100);
    assert.notEqual(await view(), home, 'the wheel zooms');
    await page.mouse.dblclick(visible.x, visible.y);
    assert.deepEqual((await view()).split(' ').map(Number), home.trim().split(/[\s,]+/).map(Number), 'a double click shows all');
    await page.keyboard.press('Escape');
    await page.mouse.move(3, 3);
  }

  // All formulas, in light and dark.
  await page.goto('about:blank');
  await page.goto(`${address}#all`, {waitUntil: 'commit'});
  await until(page, () => window.reportReady === true, undefined, 120000);
  const formulas = await page.evaluate(() => ({all: document.querySelectorAll('.math').length, waiting: document.querySelectorAll('.math.waiting').length}));
  assert.equal(formulas.waiting, 0, 'all formulas are there');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (pictures) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const whole = {fullPage: true, ...(height > 15000 ? {fullPage: false} : {})};
    await page.screenshot({path: join(pictures, `${name}_light.png`), ...whole});
    await page.emulateMedia({colorScheme: 'dark'});
    await until(page, (name) => document.documentElement.dataset.theme === name, 'dark');
    await page.screenshot({path: join(pictures, `${name}_dark.png`), ...whole});
    await page.emulateMedia({colorScheme: 'light'});
    await until(page, (name) => document.documentElement.dataset.theme === name, 'light');
    // Very long ones would take minutes.
    if (height < 40000) writeFileSync(join(pictures, `${name}.pdf`), await page.pdf({format: 'A4'}));
  }
  // The choice of the reader is kept.
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.locator('#cr-tools button').first().click();
  const after = await theme();
  assert.notEqual(after, before, 'the theme changes');
  await page.goto('about:blank');
  await page.goto(address, {waitUntil: 'commit'});
  await until(page, () => window.reportReady === true, undefined, 120000);
  assert.equal(await theme(), after, 'the theme is remembered');
  await context.close();
  assert.deepEqual(strict ? [...complaints, ...warnings.map((text) => `warning: ${text.slice(0, 300)}`)].slice(0, 5) : complaints, []);
  assert.ok(wide <= 1, `the page is ${wide} px wider than the window`);
  return `ok, ${done.length > 0 ? done.join(', ').replace(/^(\d+) by/, '$1 elements marked by') : 'nothing to mark'}; ${formulas.all} formulas, ready in ${time} ms` +
      `${warnings.length > 0 ? `; ${warnings.length} warnings, first: ${warnings[0].slice(0, 160)}` : ''}`;
}

const folder = mkdtempSync(join(tmpdir(), 'cotree_report_'));
const browser = await chromium.launch({executablePath: browserPath, headless: true, args: ['--no-sandbox', '--disable-gpu'], timeout: 60000});
let failed = false;
try {
  for (const word of words) {
    const name = basename(word).replace(/\.(html|json)$/, '');
    let file = resolve(word);
    try {
      if (word.endsWith('.json')) {
        file = join(folder, `${name}.html`);
        makePage(word, file);
      }
      console.log(`${word}: ${await use(browser, file, name)}`);
    } catch (error) {
      failed = true;
      console.log(`${word}: FAILED, ${error.message}`);
    }
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}
process.exit(failed ? 1 : 0);
