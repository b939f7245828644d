// SPDX-License-Identifier: Apache-2.0
// Colours, in light and in dark.

// Okabe and Ito (2008), as in src/plot; lighter where the ground is dark.
const curvesLight = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#333333'];
const curvesDark = ['#4fb3f0', '#ff8a4c', '#35d0a5', '#e79cc6', '#f5b83d', '#8fd3ff', '#dddddd'];

// Bodies without a colour of their own.
const bodies = ['#4a90c8', '#e2884a', '#56ab8c', '#c06f97', '#d8ad48', '#7f7bc4', '#8a98a6', '#b8695e'];

const query = window.matchMedia('(prefers-color-scheme: dark)');

export function theme() {
  const dark = query.matches;
  return {
    dark,
    curves: dark ? curvesDark : curvesLight,
    bodies,
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

export const onThemeChange = (call) => query.addEventListener('change', call);
