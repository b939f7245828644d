// SPDX-License-Identifier: Apache-2.0
// Colours, in light and in dark.

// Bodies without a colour of their own, and the curves that belong to them. The first is the ground's.
const bodies = ['#7d8894', '#e2884a', '#4a90c8', '#56ab8c', '#c06f97', '#c89a28', '#7f7bc4', '#b8695e'];

const query = window.matchMedia('(prefers-color-scheme: dark)');

export function theme() {
  const dark = query.matches;
  return {
    dark,
    bodies,
    others: dark ? ['#e6e9ee', '#9aa4b2'] : ['#1d2430', '#7a8594'],  // curves of no body
    base: dark ? '#5d6875' : '#a9b2bc',
    ink: dark ? '#e6e9ee' : '#1d2430',
    soft: dark ? '#9aa4b2' : '#667080',
    rule: dark ? '#2b323d' : '#e3e7ec',
    frame: dark ? '#465060' : '#b9c1cb',
    cursor: dark ? '#f2f4f7' : '#1d2430',
    grid: dark ? '#8fa0b8' : '#7d8ba0',
    axis: dark ? '#f0f3f8' : '#28303c',
    trace: dark ? '#ffb454' : '#d9480f',
    arrow: dark ? '#ff5d6c' : '#d6283c',
    torque: dark ? '#c792ff' : '#8a3ffc',
    link: dark ? '#c3ccd6' : '#8794a3',
    shadow: dark ? 0.42 : 0.2,
  };
}

/** The colour of a body, by its number: the ground has one that no other has. Undefined: there is no such body. */
export function bodyColor({bodies: all}, number, colors) {
  const body = all[number];
  if (!body) return undefined;
  const own = body.shapes.find((shape) => shape.color)?.color;
  return own ?? colors.bodies[number === 0 ? 0 : 1 + ((number - 1) % (colors.bodies.length - 1))];
}

export const onThemeChange = (call) => query.addEventListener('change', call);
