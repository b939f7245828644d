// SPDX-License-Identifier: Apache-2.0
// Uses the demo page as a person would: node page_test.mjs FOLDER, where page.html is; pictures go there, too.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

import {Browser} from './browser.mjs';

const folder = resolve(process.argv[2]);
const address = `file://${join(folder, 'page.html')}`;
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);
const shift = 8;

async function use(browser) {
  const time = () => browser.value('cotree.time');
  const keep = async (name) => writeFileSync(join(folder, `${name}.png`), await browser.picture());

  await browser.open(`${address}#t=1.25`);
  assert.equal(await browser.value('document.body.dataset.status'), 'ready');
  assert.equal(await browser.value('cotree.ready && cotree.webgl'), true);
  near(await time(), 1.25);
  await keep('start');

  // Keys.
  await browser.key('ArrowRight');
  near(await time(), 1.31);
  await browser.key('ArrowLeft', shift);
  near(await time(), 1.3);
  await browser.key('End');
  near(await time(), 6);
  await browser.key('ArrowUp');
  assert.equal(await browser.value('speed.value'), '2');
  await browser.key('ArrowDown');
  await browser.key('Home');
  await browser.key(' ');
  assert.ok(await browser.until('cotree.time > 0.2'), 'it plays');
  await browser.key(' ');
  const stopped = await time();
  await new Promise((done) => setTimeout(done, 500));
  near(await time(), stopped);

  // What is out of range, and the address.
  await browser.value('cotree.setTime(-9)');
  near(await time(), 0);
  await browser.value('cotree.setTime(NaN)');
  near(await time(), 0);
  await browser.value('location.hash = "#t=0.5"');
  assert.ok(await browser.until('cotree.time === 0.5'), 'the address sets the time');

  // At the end: stops, or begins again.
  await browser.value('cotree.setTime(5.9)');
  await browser.key('l');
  await browser.key(' ');
  assert.ok(await browser.until('cotree.time === 6 && document.getElementById("play").ariaLabel === "Play"'), 'it stops');
  await browser.key('l');
  await browser.value('cotree.setTime(5.9)');
  await browser.key(' ');
  assert.ok(await browser.until('cotree.time < 5'), 'it begins again');
  await browser.key(' ');

  // The cursor of the plot.
  await browser.mouse('mousePressed', 1000, 90, 1);
  const from = await time();
  await browser.mouse('mouseMoved', 1150, 90, 1);
  const to = await time();
  await browser.mouse('mouseReleased', 1150, 90, 0);
  assert.ok(from > 1 && from < 1.5 && to > 3.7 && to < 4.2, `${from}, ${to}`);
  await browser.value('document.querySelector("#curves input").click(); document.querySelectorAll("#curves input")[3].click()');

  // Names under the pointer; the way there is not known, so all of it is searched.
  await browser.value('cotree.setTime(1.5)');
  await browser.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const places = await browser.value(`(() => {
    const canvas = document.querySelector('#view > canvas'), tip = document.getElementById('tip'), places = {};
    for (let y = 80; y < canvas.clientHeight; y += 8) {
      for (let x = 10; x < canvas.clientWidth; x += 8) {
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: y}));
        if (!tip.hidden) places[tip.textContent] = [x, y];
      }
    }
    return places;
  })()`);
  // The strut by hand: from (0.35, 0.1) to a point 0.35 m down the upper link, 0.02 m aside.
  const strut = await browser.value(`(() => {
    const curve = JSON.parse(document.getElementById('scene').textContent).curves[0].values;
    const bytes = Uint8Array.from(atob(curve), (c) => c.charCodeAt(0));
    const angle = new DataView(bytes.buffer).getFloat32(4 * 60, true);
    return Math.hypot(0.35 * Math.sin(angle) - 0.35, 0.02, -0.35 * Math.cos(angle) - 0.1).toPrecision(4);
  })()`);
  for (const name of ['frame', 'upper link', 'lower link', 'elbow (revolute)', 'shoulder (revolute)',
                      'force on the lower link = 51.76 N', 'torque on the upper link = 3.000 N·m', `strut, ${strut} m`]) {
    assert.ok(places[name], `${name} is not among ${Object.keys(places)}`);
  }
  assert.ok(Object.keys(places).some((name) => name.startsWith('band, ')), 'the spring is there');
  await browser.mouse('mouseMoved', ...places['lower link']);
  assert.ok(await browser.until('!tip.hidden && tip.textContent === "lower link"'), 'its name is shown');
  await keep('hover');

  // Forces can be hidden, and gravity in the corner with them.
  const letters = () => browser.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => ' +
                                      'done([...document.querySelectorAll("#cross text")].map((e) => e.textContent).sort().join("")))))');
  const forces = '[...document.querySelectorAll("#tools button")].find((b) => b.textContent === "Forces")';
  assert.equal(await letters(), 'gxyz');
  await browser.value(`${forces}.click()`);
  assert.equal(await letters(), 'xyz');
  await browser.mouse('mouseMoved', ...places['torque on the upper link = 3.000 N·m']);
  assert.ok(await browser.until('!tip.textContent.startsWith("torque")'), 'it is hidden');
  await browser.value(`${forces}.click()`);
  assert.equal(await letters(), 'gxyz');

  // Orbit and zoom change the picture.
  const before = await browser.value('document.getElementById("cross").innerHTML');
  await browser.mouse('mousePressed', 650, 600, 1);
  await browser.mouse('mouseMoved', 550, 560, 1);
  await browser.mouse('mouseReleased', 550, 560, 0);
  await browser.call('Input.dispatchMouseEvent', {type: 'mouseWheel', x: 450, y: 350, deltaX: 0, deltaY: -240});
  assert.ok(await browser.until(`document.getElementById("cross").innerHTML !== ${JSON.stringify(before)}`), 'it turns');
  await browser.value('new Promise((done) => setTimeout(done, 1500))');
  await keep('turned');

  await browser.open(`${address}#t=4.4`, {dark: true});
  await keep('dark');
  await browser.value('document.querySelectorAll("#tools button")[3].click()');
  await browser.value('new Promise((done) => setTimeout(done, 500))');
  await keep('top');
  await browser.open(`${address}#t=4.4`, {width: 600, height: 900});
  await keep('narrow');
  assert.deepEqual(browser.complaints, []);
}

async function useWithout(browser) {
  await browser.open(address);
  assert.equal(await browser.value('document.body.dataset.status'), 'no-webgl');
  assert.match(await browser.value('document.getElementById("words").innerText'), /no WebGL/);
  writeFileSync(join(folder, 'no_webgl.png'), await browser.picture());
}

for (const [flags, call] of [[[], use], [['--disable-3d-apis'], useWithout]]) {
  const browser = new Browser(flags);
  try {
    await call(browser);
  } catch (error) {
    console.error(browser.complaints);
    throw error;
  } finally {
    await browser.close();
  }
}
console.log(`animation page: passed; pictures in ${folder}`);
