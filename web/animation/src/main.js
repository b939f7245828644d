// SPDX-License-Identifier: Apache-2.0
// The page: builds it from the scene, keeps the time, and lets the view and the plot follow.
// window.cotree = {time, setTime(t), play(), pause(), ready, webgl}; `#t=1.25` in the address sets the time.
import css from './page.css';
import {Plot} from './plot.js';
import {quantityText} from '../../shared/units.js';
import {readScene} from './scene.js';
import {onThemeChange, theme} from './theme.js';
import {View} from './view.js';

const playIcon = '<svg viewBox="0 0 16 16"><path d="M3.5 1.5v13l10.5-6.5z"/></svg>';
const pauseIcon = '<svg viewBox="0 0 16 16"><path d="M3 1.5h3.7v13H3zM9.3 1.5H13v13H9.3z"/></svg>';

const markup = `
  <main id="view">
    <h1 id="title"></h1><div id="tools"></div><svg id="cross" viewBox="-36 -36 72 72"></svg><div id="grid"></div>
    <div id="tip" hidden></div><div id="words" hidden></div>
  </main>
  <aside id="panel"><div id="plot"></div><div id="curves"></div></aside>
  <footer id="bar">
    <button id="play" title="Play or pause (space)" aria-label="Play">${playIcon}</button>
    <input id="slider" type="range" min="0" max="1" step="any" value="0" aria-label="Time">
    <span id="time"></span>
    <select id="speed" title="Speed (up, down)" aria-label="Speed"></select>
    <button id="loop" title="Begin again at the end (L)" aria-pressed="true">Loop</button>
  </footer>`;

const noWebGl =
    'This browser offers no WebGL, so the mechanism cannot be drawn in 3D. ' +
    'Turn on hardware acceleration in its settings, or open this file in another browser.';

const byId = (id) => document.getElementById(id);

/** 0.1 to 10, and slower or faster where the motion is so short or long that these would not show it. */
function speedsFor(duration) {
  const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];
  for (let speed = 0.05; duration / speeds[0] < 5 && speed > 1e-9; speed = Number((speed / 10).toPrecision(2))) {
    speeds.unshift(Number((speed / 5).toPrecision(2)), Number((speed / 2.5).toPrecision(2)), speed);
  }
  for (let speed = 20; duration / speeds[speeds.length - 1] > 20 && speed < 1e9; speed *= 10) {
    speeds.push(speed, 2.5 * speed, 5 * speed);
  }
  return speeds;
}

class Page {
  constructor(scene) {
    this.scene = scene;
    const {times} = scene;
    this.begin = times[0] ?? 0;
    this.end = times[times.length - 1] ?? 0;
    this.duration = Math.max(this.end - this.begin, 0);
    this.time = this.begin;
    this.playing = false;
    this.loop = true;
    byId('title').textContent = scene.title;
    this.addBar();
    // The panel first: the view takes the room that it leaves.
    document.body.classList.toggle('plain', scene.curves.length === 0);
    byId('panel').hidden = scene.curves.length === 0;
    if (scene.curves.length > 0) this.plot = new Plot(scene, byId('plot'), byId('curves'), (t) => this.seek(t));
    const renderer = this.makeRenderer();
    if (renderer) {
      this.view = new View(scene, byId('view'), byId('tip'), renderer);
      this.addTools();
    }
    this.listen();
    this.setTime(this.begin);
    const asked = this.takeHash();
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!asked && !still && this.duration > 0) this.play();
    this.clock = (now) => this.tick(now);
    requestAnimationFrame(this.clock);
  }

  /** Null, and words in place of the picture, where there is no WebGL. */
  makeRenderer() {
    try {
      return View.renderer();
    } catch (error) {
      console.warn(error);
      byId('words').appendChild(document.createElement('p')).textContent = noWebGl;
      byId('words').hidden = false;
      byId('cross').remove();
      return null;
    }
  }

  addBar() {
    const select = byId('speed');
    this.speeds = speedsFor(this.duration);
    for (const speed of this.speeds) select.add(new Option(`${speed}×`, speed));
    // As it happens, unless that is over at once or takes for ever.
    let best = 1;
    if (this.duration > 0 && (this.duration < 1 || this.duration > 60)) {
      const wanted = this.duration / 8;
      best = this.speeds.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
    }
    select.selectedIndex = this.speeds.indexOf(best);
    this.decimals = this.duration > 0 ? Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(this.duration)))) : 2;
    byId('play').addEventListener('click', () => this.toggle());
    byId('slider').addEventListener('input', (event) => this.seek(this.begin + event.target.valueAsNumber * this.duration));
    byId('loop').addEventListener('click', () => this.setLoop(!this.loop));
  }

  addTools() {
    const group = (entries) => {
      const box = byId('tools').appendChild(document.createElement('div'));
      for (const [text, title, call, pressed] of entries) {
        const button = box.appendChild(document.createElement('button'));
        button.textContent = text;
        button.title = title;
        if (pressed !== undefined) button.setAttribute('aria-pressed', pressed);
        button.addEventListener('click', () => call(button));
      }
    };
    const looks = [['iso', 'Iso', 'From a corner'], ['front', 'Front', 'From the front'],
                   ['side', 'Side', 'From the side'], ['top', 'Top', 'From above']];
    group(looks.map(([from, text, title]) => [text, title, () => this.view.look(from)]));
    const layers = [['axes', 'Joints', 'Axes of the joints'], ['traces', 'Traces', 'Ways of traced bodies'],
                    ['arrows', 'Forces', 'Forces, torques (two heads), and where gravity pulls']]
                       .filter(([layer]) => this.view.layers[layer].length > 0 || (layer === 'arrows' && this.hasGravity()));
    if (layers.length > 0) group(layers.map(([layer, text, title]) => [text, title, (button) => {
      const shown = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', shown);
      this.view.show(layer, shown);
    }, true]));
    byId('grid').textContent = `grid ${quantityText(this.view.spacing, 'm')}`;
  }

  hasGravity() {
    return Math.hypot(...this.scene.gravity) > 0;
  }

  listen() {
    const resize = () => {
      this.view?.resize();
      this.plot?.resize();
    };
    window.addEventListener('resize', resize);
    onThemeChange(() => {
      this.view?.paint();
      this.plot?.paint();
    });
    window.addEventListener('hashchange', () => this.takeHash());
    window.addEventListener('keydown', (event) => this.key(event), true);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === 'SELECT') return;
    const step = this.duration / 100;
    const select = byId('speed');
    const actions = {
      ' ': () => this.toggle(),
      ArrowLeft: () => (event.shiftKey ? this.stepFrame(-1) : this.seek(this.time - step)),
      ArrowRight: () => (event.shiftKey ? this.stepFrame(1) : this.seek(this.time + step)),
      ArrowUp: () => (select.selectedIndex = Math.min(select.selectedIndex + 1, this.speeds.length - 1)),
      ArrowDown: () => (select.selectedIndex = Math.max(select.selectedIndex - 1, 0)),
      Home: () => this.seek(this.begin),
      End: () => this.seek(this.end),
      l: () => this.setLoop(!this.loop),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** To the next or the last recorded time. */
  stepFrame(way) {
    const {times} = this.scene;
    let k = way > 0 ? 0 : times.length - 1;
    while (k >= 0 && k < times.length && (times[k] - this.time) * way <= 1e-9 * this.duration) k += way;
    if (k >= 0 && k < times.length) this.seek(times[k]);
  }

  takeHash() {
    const found = /[#&]t=([-+.\deE]+)/.exec(window.location.hash);
    const time = found ? Number(found[1]) : NaN;
    if (!Number.isFinite(time)) return false;
    this.seek(time);
    return true;
  }

  setLoop(loop) {
    this.loop = loop;
    byId('loop').setAttribute('aria-pressed', loop);
  }

  play() {
    if (this.duration === 0) return;
    if (this.time >= this.end) this.setTime(this.begin);
    this.playing = true;
    this.before = undefined;
    this.showPlaying();
  }

  pause() {
    this.playing = false;
    this.showPlaying();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  showPlaying() {
    byId('play').innerHTML = this.playing ? pauseIcon : playIcon;
    byId('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  /** By hand: motion stops. */
  seek(time) {
    this.pause();
    this.setTime(time);
  }

  setTime(time) {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(Math.max(time, this.begin), this.end);
    byId('slider').value = this.duration > 0 ? (this.time - this.begin) / this.duration : 0;
    const text = (t) => t.toFixed(this.decimals).replace('-', '−');
    byId('time').innerHTML = `${text(this.time)} <small>/ ${text(this.end)} s</small>`;
    this.view?.setTime(this.time);
    this.plot?.setTime(this.time);
    document.body.dataset.time = this.time;
  }

  tick(now) {
    requestAnimationFrame(this.clock);
    if (this.playing) {
      if (this.before !== undefined) this.advance(Math.min(now - this.before, 250) / 1000);
      this.before = now;
    }
    this.draw();
  }

  advance(seconds) {
    const next = this.time + seconds * this.speeds[byId('speed').selectedIndex];
    if (next < this.end) this.setTime(next);
    else if (this.loop) this.setTime(this.begin + ((next - this.begin) % this.duration));
    else this.seek(this.end);
  }

  draw() {
    if (!this.view?.draw()) return;
    // The far ones first, so that the near ones lie above them.
    const directions = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    if (this.hasGravity() && !this.view.hidden?.arrows) directions.push(this.scene.gravity);
    const colors = ['#e0453a', '#2f9e44', '#3b7de0', theme().soft];
    const arrows = this.view.onScreen(directions).map(([x, y, z], k) => ({x, y, z, k})).sort((a, b) => a.z - b.z);
    byId('cross').innerHTML = arrows.map(({x, y, k}) => {
      const head = k === 3 ? `<path d="M${26 * x} ${26 * y}L${18 * x - 4 * y} ${18 * y + 4 * x} ${18 * x + 4 * y} ${18 * y - 4 * x}z" ` +
                                 `fill="${colors[k]}"/>` : '';
      return `<line x2="${20 * x}" y2="${20 * y}" stroke="${colors[k]}" stroke-width="2" stroke-linecap="round"/>${head}` +
        // One that points at us has no room for its letter.
        (Math.hypot(x, y) > 0.3 ? `<text x="${(k === 3 ? 32 : 28) * x}" y="${(k === 3 ? 32 : 28) * y}" fill="${colors[k]}">${'xyzg'[k]}</text>` : '');
    }).join('');
  }
}

function start() {
  document.head.appendChild(document.createElement('style')).textContent = css;
  document.body.insertAdjacentHTML('beforeend', markup);
  const page = new Page(readScene(byId('scene').textContent));
  page.draw();
  window.cotree = {
    get time() {
      return page.time;
    },
    setTime: (time) => page.seek(time),
    play: () => page.play(),
    pause: () => page.pause(),
    webgl: page.view !== undefined,
    ready: true,
  };
  document.body.dataset.status = page.view ? 'ready' : 'no-webgl';
}

window.cotree = {ready: false};
try {
  start();
} catch (error) {
  document.body.dataset.status = 'failed';
  document.body.append(`This page could not be shown: ${error}`);
  throw error;
}
