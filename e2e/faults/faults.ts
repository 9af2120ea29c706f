import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.js';
import type { Mode, Stack } from './stack.js';
import type { Traffic } from './traffic.js';

export type FaultKind = keyof typeof FAULTS;

export type Fault = {
  kind: FaultKind;
  /** It happens when that many events have been acknowledged. */
  at: number;
};

type Blow = (stack: Stack, traffic: Traffic, random: Random) => Promise<void>;

/** Faults of one part wait for each other; those of different parts do not, and may well coincide. */
type FaultSpec = {
  part: 'service' | 'database' | 'consumers' | 'nats' | 'clients';
  isKill: boolean;
  blow: Blow;
};

const FAULTS = {
  'kill -9 of an API worker': {
    part: 'service',
    isKill: true,
    blow: (stack, _, { integer }) => stack.killWorker(integer),
  },
  'kill -9 of the whole service': { part: 'service', isKill: true, blow: (stack) => stack.killService() },
  'kill -9 of PostgreSQL': { part: 'database', isKill: true, blow: (stack) => stack.killPostgres() },
  'kill -9 of a consumer': {
    part: 'consumers',
    isKill: true,
    blow: (stack, _, { integer }) => stack.killConsumer(integer, integer(2_000)),
  },
  'kill -9 of a NATS server': {
    part: 'nats',
    isKill: true,
    blow: (stack, _, { integer }) => stack.killNats(integer, 200 + integer(3_000)),
  },
  // Around the time-out of a database call: some calls are given up and committed nevertheless.
  'PostgreSQL paused': {
    part: 'database',
    isKill: false,
    blow: (stack, _, { integer }) => {
      const timeoutMs = Number(stack.settings.SAVEPOINT_DB_TIMEOUT_MS);
      return stack.pausePostgres(timeoutMs * 0.5 + integer(timeoutMs));
    },
  },
  'all connections cut': {
    part: 'clients',
    isKill: false,
    blow: async (_, traffic) => traffic.cutConnections(),
  },
} as const satisfies Record<string, FaultSpec>;

const QUEUE_KILLS: readonly FaultKind[] = ['kill -9 of a consumer', 'kill -9 of a NATS server'];

/** Every kind in turn, each time in another order, at random moments spread over the run. */
export function planFaults(options: { mode: Mode; events: number; kills: number; random: Random }): Fault[] {
  const { mode, events, kills, random } = options;
  const all = Object.keys(FAULTS) as FaultKind[];
  const possible = all.filter((kind) => mode !== 'direct' || !QUEUE_KILLS.includes(kind));
  const inTurns = (kinds: readonly FaultKind[], count: number): FaultKind[] => {
    const chosen: FaultKind[] = [];
    while (chosen.length < count) chosen.push(...random.shuffle(kinds));
    return chosen.slice(0, count);
  };
  const isKill = (kind: FaultKind) => FAULTS[kind].isKill;
  const others = possible.filter((kind) => !isKill(kind));
  const kinds = random.shuffle([
    ...inTurns(possible.filter(isKill), kills),
    // Two of each for every five kills.
    ...inTurns(others, Math.max(others.length, Math.round(kills * 0.4) * others.length)),
  ]);
  // Not in the last twentieth: a fault that everybody has gone home before proves nothing.
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
/** By how many faults traffic may run ahead of a repair that has to be awaited. */
const AHEAD = 2;

type RunOptions = {
  stack: Stack;
  traffic: Traffic;
  random: Random;
  isOver: () => boolean;
  /** Traffic may go on to that many events, or repairs that take long would meet with no traffic in the end. */
  allowUntil: (events: number) => void;
  say: (line: string) => void;
};

export function startFaults(faults: readonly Fault[], options: RunOptions): FaultRun {
  const { stack, traffic, random, isOver, allowUntil, say } = options;
  const repairs = new Map<string, Promise<void>>();
  const happened: Record<string, number> = {};

  const strikeAll = async (): Promise<void> => {
    for (const [index, { kind, at }] of faults.entries()) {
      allowUntil(faults[index + AHEAD]?.at ?? faults.at(-1)?.at ?? 0);
      while (traffic.acknowledgedEvents() < at && !isOver()) await sleep(LOOK_MS);
      const { part, blow } = FAULTS[kind] as FaultSpec;
      await repairs.get(part);
      if (isOver()) break;
      say(`${kind}, after ${traffic.acknowledgedEvents()} events`);
      happened[kind] = (happened[kind] ?? 0) + 1;
      const repair = blow(stack, traffic, random);
      // Seen at the latest when all are awaited below.
      repair.catch(() => {});
      repairs.set(part, repair);
    }
    allowUntil(Number.POSITIVE_INFINITY);
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
