import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Session } from '../model/life.js';
import { NO_CHANGE, type Reacting, type Reactions } from '../model/reaction.js';

export type ToldArm = { experimentId: string; variantId: string };

/** Which players know their arm, and since when. */
export type ReactingPlayers = {
  of(player: number): Reacting | undefined;
  /** Asks for the arm of a player who does not know it yet. */
  learn(
    player: number,
    atMs: number,
    ask: () => Promise<readonly ToldArm[] | undefined>,
  ): Promise<Reacting | undefined>;
  /** Players by variant. */
  readonly told: Readonly<Record<string, number>>;
  close(): void;
};

/** A player who is offline would be in the experiment by the login that follows, without having known the arm: so nobody is. */
export function reachable(session: Session): Session {
  return session.network === 'offline' ? { ...session, network: 'online' } : session;
}

type Line = { player: number; variantId: string; sinceMs: number };

/** `file` keeps what players know, so that they go on after a restart; undefined keeps it in memory only. */
export function openReactingPlayers(reactions: Reactions | undefined, file?: string): ReactingPlayers {
  const known = new Map<number, Reacting>();
  const told: Record<string, number> = {};
  if (reactions === undefined) {
    return { of: () => undefined, learn: async () => undefined, told, close: () => {} };
  }
  const add = ({ player, variantId, sinceMs }: Line): Reacting => {
    const change = Object.hasOwn(reactions.changes, variantId) ? reactions.changes[variantId] : undefined;
    const reacting = { sinceMs, change: change ?? NO_CHANGE };
    known.set(player, reacting);
    told[variantId] = (told[variantId] ?? 0) + 1;
    return reacting;
  };
  if (file !== undefined && existsSync(file)) for (const line of readLines(file)) add(line);
  const descriptor = file === undefined ? undefined : openSync(file, 'a');
  return {
    of: (player) => known.get(player),
    async learn(player, atMs, ask) {
      const before = known.get(player);
      if (before !== undefined) return before;
      const arm = (await ask())?.find(({ experimentId }) => experimentId === reactions.experimentId);
      if (arm === undefined) return undefined;
      const line = { player, variantId: arm.variantId, sinceMs: atMs };
      if (descriptor !== undefined) writeSync(descriptor, `${JSON.stringify(line)}\n`);
      return add(line);
    },
    told,
    close: () => descriptor !== undefined && closeSync(descriptor),
  };
}

/** Without one that was cut off. */
function readLines(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}
