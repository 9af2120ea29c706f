import type { Random } from './random.js';
import type { Mode, Stack } from './stack.js';
import type { Traffic } from './traffic.js';

export type FaultKind = keyof typeof FAULTS;

type Blow = (stack: Stack, traffic: Traffic, random: Random) => Promise<void>;

/** Faults of one part wait for each other; faults of different parts may coincide. */
export type FaultSpec = {
  part: 'service' | 'database' | 'consumers' | 'nats' | 'clients';
  isKill: boolean;
  blow: Blow;
};

export const FAULTS = {
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
  // About as long as the time-out of a database call: some calls time out and are committed nevertheless.
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

/** All kinds, repeated in another order each time: for two kills of each kind there are two pauses and two cuts. */
export function chooseFaults(options: {
  mode: Mode;
  kills: number;
  /** Only kinds whose name contains this text. */
  only: string;
  random: Random;
}): FaultKind[] {
  const { mode, kills, only, random } = options;
  const possible = (Object.keys(FAULTS) as FaultKind[]).filter(
    (kind) => kind.includes(only) && (mode !== 'direct' || !QUEUE_KILLS.includes(kind)),
  );
  const inTurns = (kinds: readonly FaultKind[], count: number): FaultKind[] => {
    const chosen: FaultKind[] = [];
    while (kinds.length > 0 && chosen.length < count) chosen.push(...random.shuffle(kinds));
    return chosen.slice(0, count);
  };
  const deadly = possible.filter((kind) => FAULTS[kind].isKill);
  const others = possible.filter((kind) => !FAULTS[kind].isKill);
  const rounds = deadly.length === 0 ? kills : Math.ceil(kills / deadly.length);
  return random.shuffle([...inTurns(deadly, kills), ...inTurns(others, rounds * others.length)]);
}
