import type { Random } from './random.js';
import type { SecondNode } from './second-node.js';
import type { Stack } from './stack.js';

type Kill = (stack: Stack, second: SecondNode, random: Random) => Promise<void>;

/** Each resolves when what was killed is up again, or is being started by its parent. */
export const KILLS = {
  'a worker of node one': (stack, _, { integer }) => stack.killWorker(integer),
  'a worker of node two': (_, second, { integer }) => second.killWorker(integer),
  'the whole of node one, which runs PostgreSQL': (stack) => stack.killService(),
  'the whole of node two': (_, second) => second.kill(),
  PostgreSQL: (stack) => stack.killPostgres(),
  'the NATS server': (stack, _, { integer }) => stack.killNats(integer, 200 + integer(3_000)),
} as const satisfies Record<string, Kill>;

export type KillKind = keyof typeof KILLS;

/** All kinds in turns, in another order each time. */
export function chooseKills(count: number, { shuffle }: Random): KillKind[] {
  const kinds = Object.keys(KILLS) as KillKind[];
  const chosen: KillKind[] = [];
  while (chosen.length < count) chosen.push(...shuffle(kinds));
  return chosen.slice(0, count);
}
