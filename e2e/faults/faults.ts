import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind, type FaultSpec } from './fault-kinds.js';
import type { Random } from './random.js';
import type { Stack } from './stack.js';
import type { Traffic } from './traffic.js';

export type Fault = {
  kind: FaultKind;
  /** The fault happens when this many events have been acknowledged. */
  at: number;
};

/** At random moments, spread over the run. */
export function scheduleFaults(kinds: readonly FaultKind[], events: number, random: Random): Fault[] {
  // Not in the last twentieth: a fault after the traffic has ended tests nothing.
  const step = (events * 0.95) / kinds.length;
  return kinds.map((kind, index) => ({ kind, at: Math.floor((index + random.fraction()) * step) }));
}

export type FaultRun = {
  /** Resolves when the last fault has happened and all parts are up again. */
  finished: Promise<void>;
  /** How often each kind has happened. */
  happened(): Record<string, number>;
  kills(): number;
};

const LOOK_MS = 10;
/** By how many faults traffic may be ahead of a repair that is not finished. */
const AHEAD = 2;

type RunOptions = {
  stack: Stack;
  traffic: Traffic;
  random: Random;
  isOver: () => boolean;
  /** Traffic stops at this many events, so that there is still traffic after long repairs. */
  allowUntil: (events: number) => void;
  say: (line: string) => void;
};

export function startFaults(faults: readonly Fault[], options: RunOptions): FaultRun {
  const { stack, traffic, random, isOver, allowUntil, say } = options;
  const repairs = new Map<string, Promise<void>>();
  const happened: Record<string, number> = {};
  /** A part that does not come up again: without it, traffic would wait until the time is over. */
  let failure: unknown;

  const strikeAll = async (): Promise<void> => {
    for (const [index, { kind, at }] of faults.entries()) {
      allowUntil(faults[index + AHEAD]?.at ?? faults.at(-1)?.at ?? 0);
      while (traffic.acknowledgedEvents() < at && !isOver() && failure === undefined) await sleep(LOOK_MS);
      const { part, blow } = FAULTS[kind] as FaultSpec;
      await repairs.get(part);
      if (isOver() || failure !== undefined) break;
      say(`${kind}, after ${traffic.acknowledgedEvents()} events`);
      happened[kind] = (happened[kind] ?? 0) + 1;
      const repair = blow(stack, traffic, random);
      repair.catch((error: unknown) => {
        failure ??= error;
      });
      repairs.set(part, repair);
    }
    allowUntil(Number.POSITIVE_INFINITY);
    if (failure !== undefined) throw failure;
    await Promise.all(repairs.values());
  };

  return {
    finished: strikeAll(),
    happened: () => happened,
    kills: () =>
      Object.entries(happened).reduce(
        (sum, [kind, times]) => sum + (FAULTS[kind as FaultKind].isKill ? times : 0),
        0,
      ),
  };
}
