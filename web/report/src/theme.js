// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system says, or as the reader chose last time.
const query = window.matchMedia('(prefers-color-scheme: dark)');
const place = 'cotree.report.theme';

function chosen() {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;  // files may not be allowed to keep anything
  }
}

function apply(name) {
  document.documentElement.dataset.theme = name ?? chosen() ?? (query.matches ? 'dark' : 'light');
}

export function startTheme() {
  apply();
  query.addEventListener('change', () => apply());
}

export function toggleTheme() {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try {
    // What the system says anyway need not be kept.
    if (next === (query.matches ? 'dark' : 'light')) localStorage.removeItem(place);
    else localStorage.setItem(place, next);
  } catch {
    // Then it lasts as long as the page.
  }
  apply(next);
}
