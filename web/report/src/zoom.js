// SPDX-License-Identifier: Apache-2.0
// Zooms and moves a drawing by its viewBox: wheel, drag, two fingers, buttons, keys; a double click shows all of it again.
import {button, icon} from './dom.js';

let scrolled = 0;
window.addEventListener('scroll', () => scrolled = performance.now(), {passive: true});

/** Returns the buttons. `most` is how many times larger it may get. */
export function zoomable(drawing, {most = 40} = {}) {
  const [left, top, wide, high] = drawing.getAttribute('viewBox').trim().split(/[\s,]+/).map(Number);
  const home = {x: left, y: top, width: wide, height: high};
  let now = {...home};

  const show = () => drawing.setAttribute('viewBox', `${now.x} ${now.y} ${now.width} ${now.height}`);
  const reset = () => {
    now = {...home};
    show();
  };
  /** A place on the screen in the drawing. */
  const place = (x, y) => {
    const back = drawing.getScreenCTM().inverse();
    return new DOMPoint(x, y).matrixTransform(back);
  };
  const zoom = (factor, at) => {
    const next = Math.min(Math.max(now.width / factor, home.width / most), home.width * 1.5);
    const scale = next / now.width;
    const {x, y} = at ?? {x: now.x + now.width / 2, y: now.y + now.height / 2};
    now = {x: x + (now.x - x) * scale, y: y + (now.y - y) * scale, width: next, height: now.height * scale};
    show();
  };
  const pixel = () => 1 / drawing.getScreenCTM().a;

  drawing.addEventListener('wheel', (event) => {
    // Who scrolls through the page goes on doing so.
    if (!event.ctrlKey && performance.now() - scrolled < 250) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * lines)) / 400), place(event.clientX, event.clientY));
  }, {passive: false});

  const fingers = new Map();
  let moving = false;
  drawing.addEventListener('pointerdown', (event) => {
    if (event.button === 0) fingers.set(event.pointerId, {x: event.clientX, y: event.clientY, from: {x: event.clientX, y: event.clientY}});
  });
  drawing.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    if (!moving && Math.hypot(event.clientX - finger.from.x, event.clientY - finger.from.y) < 4) return;
    if (!moving) {
      moving = true;
      drawing.setPointerCapture(event.pointerId);
      drawing.classList.add('moving');
    }
    const others = [...fingers.values()].filter((each) => each !== finger);
    const size = pixel();
    now.x -= (event.clientX - finger.x) * size / fingers.size;
    now.y -= (event.clientY - finger.y) * size / fingers.size;
    show();
    if (others.length === 1) {
      const [other] = others;
      const before = Math.hypot(finger.x - other.x, finger.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 10) zoom(after / before, place((event.clientX + other.x) / 2, (event.clientY + other.y) / 2));
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
  });
  for (const end of ['pointerup', 'pointercancel']) {
    drawing.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size > 0) return;
      moving = false;
      drawing.classList.remove('moving');
    });
  }
  drawing.addEventListener('dblclick', (event) => {
    event.preventDefault();
    reset();
  });
  drawing.setAttribute('tabindex', '0');
  drawing.addEventListener('keydown', (event) => {
    const step = 0.1 * now.width;
    const moves = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step]};
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') reset();
    else if (moves[event.key]) {
      now.x += moves[event.key][0];
      now.y += moves[event.key][1];
      show();
    } else return;
    event.preventDefault();
  });
  // The whole window for it; where there is little room, names are too small to be read.
  const whole = button('In the whole window (F)', () => fill(), icon('full'));
  const fill = (on) => {
    const room = drawing.parentElement;
    const full = room.classList.toggle('full', on);
    whole.title = full ? 'Back into the page (F or Esc)' : 'In the whole window (F)';
    whole.setAttribute('aria-label', whole.title);
    if (full) drawing.focus({preventScroll: true});
    else reset();
  };
  drawing.addEventListener('keydown', (event) => {
    if (event.key === 'f' && !event.ctrlKey && !event.metaKey && !event.altKey) fill();
  });
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && drawing.parentElement?.classList.contains('full')) fill(false);
  });
  window.addEventListener('beforeprint', () => {
    if (drawing.parentElement?.classList.contains('full')) fill(false);
    reset();
  });
  return [button('Larger (+)', () => zoom(1.4), icon('plus')), button('Smaller (−)', () => zoom(1 / 1.4), icon('minus')),
    button('Show all of it (0 or double click)', reset, icon('fit')), whole];
}
