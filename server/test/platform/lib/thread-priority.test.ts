import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const BUILT = new URL('../../../dist/platform/lib/thread-priority.js', import.meta.url).href;

/** In a process with this priority more: that of the process, of a thread that has stepped behind, and of the process after that. */
const SCRIPT = `
  const { readFileSync } = require('node:fs');
  const { Worker } = require('node:worker_threads');
  const read = (path) => Number(readFileSync(path, 'utf8').split(') ')[1].split(' ')[16]);
  const main = () => read('/proc/self/task/' + process.pid + '/stat');
  const before = main();
  const thread = new Worker(\`
    import(${JSON.stringify(BUILT)}).then(({ stepBehindPlayers }) => {
      stepBehindPlayers();
      const { readFileSync } = require('node:fs');
      require('node:worker_threads').parentPort.postMessage(
        Number(readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[16]));
    });\`, { eval: true });
  thread.once('message', (stepped) => console.log(JSON.stringify({ before, stepped, after: main() })));
`;

function run(nicer: number) {
  const { stdout } = spawnSync('nice', ['-n', String(nicer), process.execPath, '-e', SCRIPT], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as { before: number; stepped: number; after: number };
}

describe.runIf(process.platform === 'linux')('a thread that steps behind players', () => {
  it.each([0, 8])('comes after its process, which runs with nice -n %i', (nicer) => {
    const { before, stepped, after } = run(nicer);
    expect(stepped).toBe(Math.min(19, before + 5));
    expect(after).toBe(before);
  });

  it('takes the other threads of its process with it, if it is told to', () => {
    const script = `
      import(${JSON.stringify(BUILT)}).then(({ stepProcessBehindPlayers }) => {
        const { readdirSync, readFileSync } = require('node:fs');
        const read = () => readdirSync('/proc/self/task').map((id) =>
          Number(readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[16]));
        const before = read();
        stepProcessBehindPlayers();
        console.log(JSON.stringify({ before, after: read() }));
      });`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    const { before, after } = JSON.parse(stdout) as { before: number[]; after: number[] };
    // V8 has some from the beginning.
    expect(before.length).toBeGreaterThan(1);
    expect(after).toEqual(before.map((priority) => Math.min(19, priority + 5)));
  });

  it('stays where it is when there is nothing behind it', () => {
    expect(run(19)).toEqual({ before: 19, stepped: 19, after: 19 });
  });
});
