// SPDX-License-Identifier: Apache-2.0
// Bundles src/main.js, the style sheets and the fonts of KaTeX into one script: node bundle.mjs OUTPUT
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {dirname, join} from 'node:path';

import {build, transform} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const katex = join(here, 'node_modules/katex');

// Letters that no equation of ours uses; where one does, the browser draws it in a font of its own.
const leftOut = /KaTeX_(Fraktur|Script|SansSerif-(Bold|Italic)|Caligraphic-Bold)/;

/** KaTeX's style sheet with its woff2 fonts inside, and none of the others. */
function katexStyle() {
  const source = readFileSync(join(katex, 'dist/katex.css'), 'utf8');
  return source.replace(/@font-face\s*{[^}]*}/g, (face) => {
    const [, file] = face.match(/url\((fonts\/[^)]+\.woff2)\)/);
    if (leftOut.test(file)) return '';
    const bytes = readFileSync(join(katex, 'dist', file)).toString('base64');
    return face.replace(/src:[^;]*;/, `src: url(data:font/woff2;base64,${bytes}) format("woff2");`);
  });
}

const style = {
  name: 'style',
  setup(bundler) {
    bundler.onLoad({filter: /page\.css$/}, async ({path}) => {
      const {code} = await transform(`${katexStyle()}\n${readFileSync(path, 'utf8')}`, {loader: 'css', minify: true});
      return {contents: code.trim(), loader: 'text'};
    });
  },
};

const licence = readFileSync(join(katex, 'LICENSE'), 'utf8');
const {outputFiles} = await build({
  entryPoints: [join(here, 'src/main.js')], bundle: true, minify: true, format: 'iife', target: 'es2020', charset: 'ascii',
  legalComments: 'none', logLevel: 'warning', write: false, plugins: [style],
  alias: {katex: join(katex, 'dist/katex.mjs')},
  banner: {js: `/*!\n KaTeX (katex.org) and its fonts are part of this script, under the following licence.\n\n${licence}\n*/`},
});
const [{text}] = outputFiles;
// It stands inside of <script>.
for (const bad of ['</script', '<script', '<!--']) {
  if (text.includes(bad)) throw new Error(`the script must not hold ${bad}`);
}
writeFileSync(process.argv[2], text);
