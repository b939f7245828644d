// SPDX-License-Identifier: Apache-2.0
// Whether pages fit their window: node overflow.mjs PAGE.html… ; 1280 and 400 pixels wide, light and dark.
// Nothing may stand outside of the window but in a box that scrolls and shows its bar; no text of a picture may be cut, or too small
// to be read. Prints a line for each page and exits with 1 if one of them fails. The browser is $CHROMIUM, or Debian's.
import {existsSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {chromium} from 'playwright-core';

const pages = process.argv.slice(2);
if (pages.length === 0) {
  console.error('usage: node overflow.mjs PAGE.html…');
  process.exit(2);
}
const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
const browser = await chromium.launch({
  executablePath, ignoreDefaultArgs: ['--hide-scrollbars'],
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** What is wrong with the page as it stands in its window. */
function look() {
  const wrong = [];
  const say = (what, element) => wrong.push(`${what}: ${(element.textContent || element.className || element.localName).toString().trim().replace(/\s+/g, ' ').slice(0, 60)}`);
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) wrong.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${wide}`);
  const boxes = '.table-room, .matrix, .equation .side, .equation .left, pre, .graph-scroll';
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('svg') && element.localName !== 'svg') continue;
    if (element.closest(boxes) && !element.matches(boxes)) continue;
    if (element.closest('.katex-mathml') || element.getClientRects().length === 0) continue;
    const {right, left, width} = element.getBoundingClientRect();
    if (width > 0 && (right > wide + 1 || left < -1)) say('outside of the window', element);
  }
  for (const box of document.querySelectorAll(boxes)) {
    if (box.scrollWidth > box.clientWidth + 1 && !box.classList.contains('scrolls')) say('wider than its box, without a bar', box);
  }
  for (const drawing of document.querySelectorAll('.plot-room svg, .flow-room svg')) {
    const room = drawing.getBoundingClientRect();
    for (const text of drawing.querySelectorAll('text')) {
      const {left, right, width} = text.getBoundingClientRect();
      if (width > 0 && (left < room.left - 0.5 || right > room.right + 0.5)) say('cut in a picture', text);
    }
  }
  for (const drawing of document.querySelectorAll('.graph-room svg')) {
    const scale = drawing.getScreenCTM().a;
    for (const text of drawing.querySelectorAll('text')) {
      if (parseFloat(getComputedStyle(text).fontSize) * scale < 7) {
        say(`letters of ${(parseFloat(getComputedStyle(text).fontSize) * scale).toFixed(1)} pixels`, text);
        break;
      }
    }
  }
  return [...new Set(wrong)];
}

let failed = 0;
for (const path of pages) {
  const wrong = [];
  for (const width of [1280, 400]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({viewport: {width, height: 900}, colorScheme});
      page.on('pageerror', (error) => wrong.push(String(error)));
      await page.goto(`${pathToFileURL(resolve(path)).href}#all`);
      for (let k = 0; k < 600 && !(await page.evaluate(() => window.reportReady === true)); ++k) await page.waitForTimeout(50);
      for (const fold of await page.$$('details > summary')) await fold.evaluate((summary) => (summary.parentElement.open = true));
      await page.waitForTimeout(300);
      for (const what of await page.evaluate(look)) wrong.push(`at ${width}, ${colorScheme}: ${what}`);
      await page.close();
    }
  }
  if (wrong.length > 0) ++failed;
  console.log(`${basename(path)}: ${wrong.length === 0 ? 'ok' : `FAILED\n  ${wrong.slice(0, 12).join('\n  ')}${wrong.length > 12 ? `\n  and ${wrong.length - 12} more` : ''}`}`);
}
await browser.close();
console.log(`${pages.length - failed} of ${pages.length} pages fit`);
process.exit(failed > 0 ? 1 : 0);
