/** @module-tag full */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { BEAT_MS } from '../../../src/app/bin/heartbeat.js';
import {
  type ProcessStatus,
  type SupervisedProcess,
  supervise,
} from '../../../src/app/bin/supervised-process.js';

const SCRIPT = fileURLToPath(new URL('watched-process.mjs', import.meta.url));
const STARVED = fileURLToPath(new URL('starved-process.mjs', import.meta.url));

let watched: SupervisedProcess;
afterEach(() => watched.stop());

async function start(onFork: (child: ChildProcess) => void = () => {}): Promise<{ lines: string[] }> {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  watched = supervise({
    name: 'a test process',
    fork: () => {
      const child = fork(SCRIPT);
      onFork(child);
      return child;
    },
    logger,
  });
  expect(await watched.listening).toBe(1234);
  return { lines };
}

const state = () => watched.status().state;

it('a process whose event loop does not turn is killed and replaced', async () => {
  const { lines } = await start();
  const { pid } = watched.status();
  watched.child()?.send({ type: 'hang' });
  await expect.poll(state).toBe('silent');
  await expect.poll(() => watched.replacements()).toEqual({ stuck: 1, ended: 0 });
  await expect.poll(state).toBe('serving');
  expect(watched.status().pid).not.toBe(pid);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { process: pid, silentSeconds: 5, msg: 'a test process does not turn its event loop; killing it' },
    { process: pid, signal: 'SIGKILL', msg: 'a test process has ended; starting another' },
    { process: watched.status().pid, msg: 'a test process listens again' },
  ]);
});

it('a process that is busy all the time, and turns, is left alone', async () => {
  let beats = 0;
  await start((child) => child.on('message', () => beats++));
  const { pid } = watched.status();
  watched.child()?.send({ type: 'work' });
  const before = beats;
  // Each beat is at least one turn of 400 ms: twice as long as a stuck process would live.
  await expect.poll(() => beats).toBeGreaterThan(before + 25);
  expect(watched.status().pid).toBe(pid);
  expect(watched.replacements()).toEqual({ stuck: 0, ended: 0 });
});

it('a process that ends is started again, but not when all are stopped', async () => {
  const forked: ChildProcess[] = [];
  const afterwards: ProcessStatus[] = [];
  await start((child) => {
    forked.push(child);
    child.once('exit', () => process.nextTick(() => afterwards.push(watched.status())));
  });
  watched.child()?.send({ type: 'end' });
  await expect.poll(() => watched.replacements()).toEqual({ stuck: 0, ended: 1 });
  expect(afterwards).toEqual([{ pid: null, state: 'ended', silentSeconds: 0 }]);
  await expect.poll(state).toBe('serving');
  await watched.stop();
  expect(state()).toBe('ended');
  expect(forked).toHaveLength(2);
});

it('a process that Ctrl-C has ended while it started is no error', async () => {
  const lines: Record<string, unknown>[] = [];
  watched = supervise({
    name: 'a test process',
    fork: () => fork(SCRIPT),
    logger: pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) }),
  });
  const { pid } = watched.status();
  watched.child()?.kill('SIGINT');
  await expect.poll(() => lines).toMatchObject([{ level: 30, process: pid, signal: 'SIGINT' }]);
});

it('a process that cannot be started at all is tried again', async () => {
  let starts = 0;
  watched = supervise({
    name: 'a test process',
    fork: () => fork(SCRIPT, { execPath: starts++ === 0 ? '/nonexistent' : process.execPath }),
    logger: pino({ level: 'silent' }),
  });
  expect(await watched.listening).toBe(1234);
  expect(watched.replacements()).toEqual({ stuck: 0, ended: 1 });
});

it('a process that does not turn is stopped all the same', async () => {
  await start();
  const child = watched.child();
  child?.send({ type: 'hang' });
  await watched.stop();
  expect(child?.signalCode).toBe('SIGKILL');
});

describe('a process that gets no CPU while it starts', () => {
  const STEPS = ['load its code', 'read the database', 'listen'];
  let tick = () => {};
  let lines: Record<string, unknown>[];
  let steps: string[];

  /** Starts when its supervisor starts it, and is silent after each step. */
  function startStarved(): void {
    lines = [];
    watched = supervise({
      name: 'a test process',
      fork() {
        const child = fork(STARVED);
        const own: string[] = [];
        steps = own;
        child.on('message', (message) => {
          const { type, step } = message as { type: string; step: string };
          if (type === 'step') own.push(step);
        });
        return child;
      },
      logger: pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) }),
      schedule(given) {
        tick = given;
        return () => {};
      },
    });
  }

  /** For the supervisor, at once. */
  function pass(seconds: number): void {
    for (let n = 0; n < (seconds * 1000) / BEAT_MS; n++) tick();
  }

  const reached = (count: number) =>
    expect.poll(() => [state(), ...steps]).toEqual(['starting', ...STEPS.slice(0, count)]);
  const goOn = () => watched.child()?.send({ type: 'go on' });
  const stuck = (count: number) =>
    expect.poll(() => watched.replacements()).toEqual({ stuck: count, ended: 0 });

  it('is left alone as long as it comes further, and the log says what it is busy with', async () => {
    startStarved();
    for (const [n, step] of STEPS.entries()) {
      await reached(n + 1);
      pass(59);
      expect(watched.status()).toMatchObject({ state: 'starting', silentSeconds: 59 });
      expect(lines.at(-1)).toMatchObject({ msg: 'a test process is still starting', step });
      goOn();
    }
    expect(await watched.listening).toBe(1234);
    expect(lines.map(({ seconds }) => seconds)).toEqual([30, 60, 120]);
    expect(watched.replacements()).toEqual({ stuck: 0, ended: 0 });
  });

  it('is replaced after a minute without a step, and the next one after two, until one listens', async () => {
    startStarved();
    for (const [n, limit] of [60, 120].entries()) {
      await reached(1);
      pass(limit - 1);
      expect(state()).toBe('starting');
      pass(1);
      await stuck(n + 1);
    }
    const kills = lines.filter(
      ({ msg }) => msg === 'a test process does not turn its event loop; killing it',
    );
    expect(kills).toMatchObject([
      { silentSeconds: 60, step: 'load its code' },
      { silentSeconds: 120, step: 'load its code' },
    ]);
    for (const n of STEPS.keys()) {
      await reached(n + 1);
      pass(200);
      goOn();
    }
    expect(await watched.listening).toBe(1234);
    pass(5);
    await stuck(3);
    await reached(1);
    pass(60);
    await stuck(4);
  });
});
