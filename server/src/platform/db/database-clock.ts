import { type Clock, systemClock } from '../lib/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/day.js';
import type { DedicatedConnection } from './dedicated-connection.js';
import type { Client, Pool } from './pool.js';

/**
 * All nodes of an installation share one clock, the database's. A node goes by its own clock while the two differ by a minute
 * at most. Beyond that it goes by the database's, and refuses work that deletes, expires or closes a day: see docs/adr/0027-one-clock.md.
 */
const MAX_CLOCK_OFFSET_MS = MINUTE_MS;
/** A jump of the node's clock is noticed at once, by the monotonic clock; this notices the rest. */
const LOOK_EVERY_MS = 10_000;

/** Both clocks at one instant, as epoch milliseconds. */
export type ClockReading = Readonly<{
  nodeMs: number;
  databaseMs: number;
  /** The database read its clock at an unknown instant while the response was awaited: the offset is wrong by this much at most. */
  uncertaintyMs: number;
}>;

export async function readDatabaseClock(
  db: Pool | Client | DedicatedConnection,
  node: Clock = systemClock,
): Promise<ClockReading> {
  const begun = performance.now();
  const { rows } = await db.query<{ now: number }>('select clock_timestamp() as now');
  const uncertaintyMs = (performance.now() - begun) / 2;
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not tell the time');
  return { nodeMs: node.now(), databaseMs: Math.floor(row.now + uncertaintyMs), uncertaintyMs };
}

/** How far the node's clock is ahead; negative where it is behind. */
export function offsetOf({ nodeMs, databaseMs }: ClockReading): number {
  return nodeMs - databaseMs;
}

/** Whether the clocks certainly differ by more than a minute. */
export function isOff(reading: ClockReading): boolean {
  return Math.abs(offsetOf(reading)) > MAX_CLOCK_OFFSET_MS + reading.uncertaintyMs;
}

/** One sentence for the log, `/readyz`, `savepoint doctor` and the console. */
export function describeOffset(reading: ClockReading): string {
  const offsetMs = offsetOf(reading);
  return `The clock of this node is ${spanText(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} the clock of the database.`;
}

const UNITS = [
  ['days', DAY_MS],
  ['hours', HOUR_MS],
  ['minutes', MINUTE_MS],
] as const;

function spanText(ms: number): string {
  const [name, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? (['seconds', 1_000] as const);
  return `${Math.round(ms / unitMs)} ${name}`;
}

export type DatabaseClock = Clock &
  Readonly<{
    /** Both clocks now: the last reading, continued by the monotonic clock. Undefined until the database has answered once. */
    reading(): ClockReading | undefined;
    stop(): void;
  }>;

type WatchOptions = Readonly<{
  pool: Pool;
  node?: Clock | undefined;
  /** Called when the node's clock goes wrong, and when it is right again. */
  onChange?: (reading: ClockReading) => void;
  everyMs?: number;
}>;

/** The clock that a process works by. Without an answer of the database it is the node's own. */
export async function watchDatabaseClock({
  pool,
  node = systemClock,
  onChange,
  everyMs = LOOK_EVERY_MS,
}: WatchOptions): Promise<DatabaseClock> {
  let last: Readonly<{ reading: ClockReading; atMs: number }> | undefined;
  let wasOff = false;
  let isStopped = false;

  const look = async (): Promise<void> => {
    const reading = await readDatabaseClock(pool, node).catch(() => undefined);
    if (reading === undefined || isStopped) return;
    last = { reading, atMs: performance.now() };
    if (isOff(reading) === wasOff) return;
    wasOff = !wasOff;
    onChange?.(reading);
  };
  const readingNow = (): ClockReading | undefined => {
    if (last === undefined) return undefined;
    const { databaseMs, uncertaintyMs } = last.reading;
    return {
      nodeMs: node.now(),
      databaseMs: Math.floor(databaseMs + performance.now() - last.atMs),
      uncertaintyMs,
    };
  };

  await look();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, everyMs);
  timer.unref();

  return {
    now() {
      const reading = readingNow();
      if (reading === undefined) return node.now();
      return isOff(reading) ? reading.databaseMs : reading.nodeMs;
    },
    reading: readingNow,
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
