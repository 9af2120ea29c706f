import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import type { InterruptTimes } from '../../../src/studio/cli/interrupt.js';

/** The longest that a timer takes: 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/** A command whose work ends when its standard input does, if `ends`, and that counts the signals it has seen. */
const SCRIPT = `
  const [module, times, ends] = process.argv.slice(1);
  const { interruptible } = await import(module);
  const say = (line) => process.stdout.write(line + '\\n');
  let signals = 0;
  setInterval(() => {}, 1000);
  const work = () => new Promise((resolve, reject) => {
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => say('signal ' + ++signals));
    process.stdin.on('end', () => ends === 'ends' && reject(new Error('ended in order'))).resume();
    say('running');
  });
  await interruptible('Afterwards.', work, JSON.parse(times)).catch((error) => {
    say(error.message);
    process.exit(7);
  });`;

describe('a command under signals', () => {
  const children: ReturnType<typeof spawn>[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const start = (times: InterruptTimes, ends: 'ends' | 'hangs') => {
    const module = new URL('../../../dist/studio/cli/interrupt.js', import.meta.url).href;
    const args = ['--input-type=module', '-e', SCRIPT, module, JSON.stringify(times), ends];
    const child = spawn(process.execPath, args);
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const exit = once(child, 'exit');
    return {
      child,
      nextLine: async () => (await lines.next()).value,
      code: async () => (await exit)[0],
    };
  };

  it('ends at once by the second one', async () => {
    const { child, nextLine, code } = start({ sameSignalMs: 0, graceMs: NEVER_MS }, 'hangs');
    expect(await nextLine()).toBe('running');
    child.kill('SIGINT');
    expect(await nextLine()).toBe('signal 1');
    child.kill('SIGINT');
    expect(await nextLine()).toBeUndefined();
    expect(await code()).toBe(130);
  });

  it('takes those that come together for one', async () => {
    const { child, nextLine, code } = start({ sameSignalMs: NEVER_MS, graceMs: NEVER_MS }, 'ends');
    expect(await nextLine()).toBe('running');
    child.kill('SIGINT');
    expect(await nextLine()).toBe('signal 1');
    child.kill('SIGTERM');
    expect(await nextLine()).toBe('signal 2');
    child.stdin.end();
    expect(await nextLine()).toBe('Interrupted. Afterwards.');
    expect(await code()).toBe(7);
  });

  it('is not waited for without end', async () => {
    const { child, nextLine, code } = start({ sameSignalMs: NEVER_MS, graceMs: 0 }, 'hangs');
    expect(await nextLine()).toBe('running');
    child.kill('SIGTERM');
    expect(await nextLine()).toBe('signal 1');
    expect(await nextLine()).toBe('Interrupted. Afterwards.');
    expect(await code()).toBe(7);
  });

  it('tells its own error without any', async () => {
    const { child, nextLine, code } = start({ sameSignalMs: NEVER_MS, graceMs: NEVER_MS }, 'ends');
    expect(await nextLine()).toBe('running');
    child.stdin.end();
    expect(await nextLine()).toBe('ended in order');
    expect(await code()).toBe(7);
  });
});
