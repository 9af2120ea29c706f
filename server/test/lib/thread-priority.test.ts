import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const BUILT = new URL('../../dist/lib/thread-priority.js', import.meta.url).href;

/** The priority of a thread that has called `stepBehindPlayers`. */
function priorityOfThread(): Promise<number> {
  const code = `import(${JSON.stringify(BUILT)}).then(({ stepBehindPlayers }) => {
    stepBehindPlayers();
    const afterName = require('node:fs').readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1];
    require('node:worker_threads').parentPort.postMessage(Number(afterName.split(' ')[16]));
  });`;
  return new Promise((resolve, reject) => {
    new Worker(code, { eval: true }).once('message', resolve).once('error', reject);
  });
}

describe.runIf(process.platform === 'linux')('a thread that steps behind players', () => {
  it('has a lower priority than before, and its process keeps its own', async () => {
    const before = getPriority();
    const mainThread = () =>
      readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16];
    const mainBefore = mainThread();
    expect(await priorityOfThread()).toBeGreaterThan(before);
    expect(getPriority()).toBe(before);
    expect(mainThread()).toBe(mainBefore);
  });
});
