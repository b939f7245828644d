// SPDX-License-Identifier: Apache-2.0
// A page from a report, as Cotree writes it: node make_page.mjs REPORT.json PAGE.html
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const script = join(dirname(fileURLToPath(import.meta.url)), '../dist/report.js');

export function makePage(report, page) {
  // Nothing in the report may end its element.
  const json = readFileSync(report, 'utf8').replace(/</g, '\\u003c');
  writeFileSync(page, `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
      `<title>Report</title>\n</head>\n<body>\n<script type="application/json" id="report">${json}</script>\n<script>${readFileSync(script, 'utf8')}</script>\n</body>\n</html>\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) makePage(process.argv[2], process.argv[3]);
