// SPDX-License-Identifier: Apache-2.0
// Numbers and units as people write them, the same on every page: 180 bar, 30 ms, never 1.8e7 Pa.

/** 3 to 5 significant digits, a true minus sign. */
export function numberText(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const large = Math.abs(x);
  const text = large >= 1e5 || large < 1e-3 ? x.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e') : String(Number(x.toPrecision(4)));
  return text.replace(/-/g, '−');
}

/** "N*m" is N·m; '1' is no unit. */
export const unitText = (unit) => (unit === '1' ? '' : unit ?? '').replace(/\*/g, '·').replace(/\^2\b/g, '²').replace(/\^3\b/g, '³').replace(/\bohm\b/g, 'Ω');

const prefixes = {9: 'G', 6: 'M', 3: 'k', '-3': 'm', '-6': 'µ', '-9': 'n'};
const prefixed = /^(Pa|W|J|N|N\*m|V|A|Hz|F|H|m|s|ohm)$/;

/** In which multiple of a unit numbers up to `large` are shown. */
export function multipleOf(unit, large) {
  const name = unitText(unit);
  if (unit === 'Pa' && large >= 1e4 && large < 1e9) return {size: 1e5, unit: 'bar'};
  const power = large >= 1e4 || (large > 0 && large < 0.1) ? 3 * Math.floor(Math.log10(large) / 3 + 1e-9) : 0;
  if (power === 0 || (unit === 's' && power > 0)) return {size: 1, unit: name};
  if (prefixed.test(unit ?? '') && prefixes[power]) return {size: 10 ** power, unit: `${prefixes[power]}${name}`};
  if (large < 1e5 && large >= 1e-2) return {size: 1, unit: name};
  const digits = String(power).replace(/./g, (digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]));
  return {size: 10 ** power, unit: `10${digits}${name ? ` ${name}` : ''}`, power: true};
}

/** A value with its unit. */
export function quantityText(x, unit) {
  if (x === undefined || x === null || !Number.isFinite(x)) return '–';
  const {size, unit: name, power} = multipleOf(unit, Math.abs(x));
  return `${numberText(x / size)} ${power ? `· ${name}` : name}`.trim();
}
