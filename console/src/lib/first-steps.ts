import type { DataOf, Schemas } from '../api/client.js';

type Key = Pick<Schemas['ApiKey'], 'state'>;
type Player = Pick<DataOf<'listPlayers'>['players'][number], 'lastEventAt'>;

/** How far a new game is. */
export type StepsDone = { hasKey: boolean; hasPlayer: boolean; hasEvent: boolean };

/** A player has logged in with a key, so a player stands for the key where a member may not see the keys. */
export function stepsDone(keys: readonly Key[] | undefined, players: readonly Player[]): StepsDone {
  const hasPlayer = players.length > 0;
  const hasWorkingKey = keys?.some(({ state }) => state === 'active' || state === 'ending') ?? false;
  return { hasKey: hasWorkingKey || hasPlayer, hasPlayer, hasEvent: hasSentEvent(players) };
}

/** Whether an event has ever arrived, whatever its day. */
export function hasSentEvent(players: readonly Player[]): boolean {
  return players.some(({ lastEventAt }) => lastEventAt !== null);
}
