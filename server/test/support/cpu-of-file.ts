import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU of a test file's own hooks and tests, and of the processes that they started and that have ended. */
    cpuMs?: number;
  }
}

/** Linux counts the CPU of ended children in hundredths of a second. Other systems do not say it per process. */
const MS_PER_TICK = 10;

let beforeMs = 0;

beforeAll(() => {
  beforeMs = ownMs() + childrenMs();
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures here, and wants this form for none.
afterAll(({}, suite) => {
  suite.meta.cpuMs = ownMs() + childrenMs() - beforeMs;
});

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in brackets, may contain anything: fields are counted from behind it.
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}
