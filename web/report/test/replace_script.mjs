// SPDX-License-Identifier: Apache-2.0
// Puts another script into pages that the program has written, so that a change can be seen without building the program.
//   node replace_script.mjs SCRIPT.js PAGE.html… --out FOLDER
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';

const words = process.argv.slice(2);
const flag = words.indexOf('--out');
const [, folder] = flag < 0 ? [] : words.splice(flag, 2);
const [script, ...pages] = words;
if (!folder || pages.length === 0) {
  console.error('usage: node replace_script.mjs SCRIPT.js PAGE.html… --out FOLDER');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const code = readFileSync(script, 'utf8');
for (const page of pages) {
  const text = readFileSync(page, 'utf8');
  const data = text.indexOf('id="report"');
  const begin = text.indexOf('<script>', text.indexOf('</script>', data));
  const end = text.lastIndexOf('</script>');
  if (data < 0 || begin < 0 || end < begin) throw new Error(`${page} is no report page`);
  writeFileSync(join(folder, basename(page)), `${text.slice(0, begin)}<script>${code}${text.slice(end)}`);
}
