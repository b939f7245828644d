// SPDX-License-Identifier: Apache-2.0
// Headless Chromium by its own protocol, over a pipe: no package is needed.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export class Browser {
  constructor(flags = []) {
    this.profile = mkdtempSync(join(tmpdir(), 'cotree_chromium_'));
    this.process = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--use-gl=angle',
      '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--remote-debugging-pipe',
      `--user-data-dir=${this.profile}`, ...flags, 'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.complaints = [];
    this.number = 0;
    let rest = '';
    this.process.stdio[4].on('data', (chunk) => {
      const parts = (rest + chunk).split('\0');
      rest = parts.pop();
      for (const part of parts) this.take(JSON.parse(part));
    });
  }

  take(message) {
    const done = this.waiting.get(message.id);
    if (done) {
      this.waiting.delete(message.id);
      if (message.error) done.reject(new Error(JSON.stringify(message.error)));
      else done.resolve(message.result);
    } else if (message.method === 'Runtime.exceptionThrown') {
      this.complaints.push(message.params.exceptionDetails.exception?.description ?? 'exception');
    } else if (message.method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(message.params.type)) {
      this.complaints.push(message.params.args.map((value) => value.value ?? value.description).join(' '));
    } else if (message.method === 'Network.requestWillBeSent' && !message.params.request.url.startsWith('file:')) {
      this.complaints.push(`asks the network for ${message.params.request.url.slice(0, 80)}`);
    }
  }

  call(method, params = {}) {
    const id = ++this.number;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId: this.session}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  /** Opens an address and waits until the page says that it is there. */
  async open(address, {width = 1280, height = 720, dark = false} = {}) {
    if (!this.session) {
      const {targetInfos} = await this.call('Target.getTargets');
      const page = targetInfos.find((target) => target.type === 'page');
      const {sessionId} = await this.call('Target.attachToTarget', {targetId: page.targetId, flatten: true});
      this.session = sessionId;
      for (const domain of ['Page', 'Runtime', 'Network']) await this.call(`${domain}.enable`);
    }
    await this.call('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    const features = [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}];
    await this.call('Emulation.setEmulatedMedia', {features});
    await this.call('Page.navigate', {url: 'about:blank'});
    await this.call('Page.navigate', {url: address});
    await this.until('document.body && document.body.dataset.status');
  }

  async value(expression) {
    const answer = await this.call('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (answer.exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`);
    return answer.result.value;
  }

  async until(expression, seconds = 60) {
    for (const begin = Date.now(); Date.now() - begin < 1000 * seconds;) {
      if (await this.value(expression).catch(() => false)) return true;
      await new Promise((done) => setTimeout(done, 100));
    }
    return false;
  }

  mouse(type, x, y, buttons = 0) {
    return this.call('Input.dispatchMouseEvent', {type, x, y, buttons, button: buttons ? 'left' : 'none', clickCount: 1});
  }

  async key(key, modifiers = 0) {
    await this.call('Input.dispatchKeyEvent', {type: 'keyDown', key, modifiers});
    await this.call('Input.dispatchKeyEvent', {type: 'keyUp', key, modifiers});
  }

  async picture() {
    const {data} = await this.call('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(data, 'base64');
  }

  async close() {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.stdio[3].write(JSON.stringify({id: ++this.number, method: 'Browser.close'}) + '\0');
    const late = setTimeout(() => this.process.kill('SIGKILL'), 10000);
    await ended;
    clearTimeout(late);
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
