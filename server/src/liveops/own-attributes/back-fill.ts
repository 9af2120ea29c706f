import { keyOf } from '../../decide/own-attributes/own-definition.js';
import {
  OwnFold,
  type OwnSet,
  type OwnState,
  ownSet,
  WORKED_OUT_AT,
} from '../../decide/own-attributes/own-state.js';
import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import type { Clock } from '../../platform/lib/clock.js';
import { keepToShare, type Rest } from '../../platform/lib/share-of-time.js';
import {
  listWalkedPlayers,
  lockWalkedPlayers,
  type NewState,
  rereadWalkedPlayers,
  takeUnfinishedSet,
  type UnfinishedSet,
  updateOwnStates,
  updateWalkBegun,
  updateWalkFinished,
  updateWalkProgress,
  type WalkedPlayer,
} from './back-fill-queries.js';
import { foldBlocks } from './fold-blocks.js';

const PLAYERS_PER_CHUNK = 200;
/** A turn of a set. Then it is the turn of the next one, so that no game waits for all players of another. */
const CHUNKS_PER_TURN = 10;
/** Players who sent events while their chunk was read are read alone, this many times at most, before they are read under their lock. */
const ATTEMPTS_ALONE = 10;
/** Of the time. The database also takes events in, and serves players. */
const BACK_FILL_SHARE = 1 / 2;

type BackFill = Readonly<{
  connection: DedicatedConnection;
  clock: Clock;
  signal?: AbortSignal;
  /** Called between reading players without their lock and writing. Tests send events meanwhile. */
  onRead?: (playerIds: readonly string[]) => Promise<void>;
  playersPerChunk?: number;
  chunksPerTurn?: number;
  /** False: works without pauses, beside no traffic. */
  rests?: boolean;
}>;

/** How many players were brought to a newer set. */
export type BackFillResult = Readonly<{ isDone: boolean; players: number; sets: number }>;

/**
 * Brings the players of games to the newest set of their own attributes, from their stored events:
 *
 *   read players and blocks ──► fold (in this process) ──► lock the players, write those whose event count is the same
 *
 * Why it is exact: every event that is applied adds to `event_count` under the player's lock. An equal count means that nothing was applied
 * between the two, so the blocks that were read are all of them. From then on intake folds by the new set (ADR 0060).
 */
export async function backFillOwnAttributes(run: BackFill): Promise<BackFillResult> {
  const { connection, signal } = run;
  const rest = keepToShare(run.rests === false ? 1 : BACK_FILL_SHARE, signal);
  const done = { players: 0, sets: 0 };
  try {
    for (;;) {
      const set = await takeUnfinishedSet(connection);
      if (set === undefined) return { isDone: true, ...done };
      if (set.players === null) await updateWalkBegun(connection, set);
      if (await walkTurn(run, set, rest, (players) => (done.players += players))) done.sets++;
    }
  } catch (error) {
    if (signal?.aborted) return { isDone: false, ...done };
    throw error;
  }
}

/** True if nothing is left to do for the set. */
async function walkTurn(
  run: BackFill,
  set: UnfinishedSet,
  rest: Rest,
  onBrought: (players: number) => void,
): Promise<boolean> {
  const { connection, playersPerChunk: limit = PLAYERS_PER_CHUNK, chunksPerTurn = CHUNKS_PER_TURN } = run;
  let afterId = set.lastPlayerId;
  for (let chunks = 0; chunks < chunksPerTurn; chunks++) {
    await rest();
    const chunk = await listWalkedPlayers(connection, set, { afterId, limit });
    const last = chunk.at(-1);
    if (last === undefined) {
      await updateWalkFinished(connection, set);
      return true;
    }
    onBrought(await bringToSet(run, set, chunk));
    afterId = last.playerId;
    const progress = { lastPlayerId: afterId, players: chunk.length };
    if (!(await updateWalkProgress(connection, set, progress))) return true;
  }
  return false;
}

async function bringToSet(
  run: BackFill,
  set: UnfinishedSet,
  chunk: readonly WalkedPlayer[],
): Promise<number> {
  const target = targetOf(set);
  const behind = chunk.filter((player) => isBehind(player, target));
  if (behind.length === 0) return 0;
  const left = await inTransaction(run.connection, async () => {
    const states = await statesOf(run, target, behind);
    await run.onRead?.(behind.map(({ playerId }) => playerId));
    return writeUnchanged(run, set, target, behind, states);
  });
  for (const playerId of left) await bringOneToSet(run, set, target, playerId);
  return behind.length;
}

/**
 * Reading one player takes less time than reading a chunk, so the player is less likely to send events meanwhile. One who does so every
 * time is read under the lock: only that player's events wait.
 */
async function bringOneToSet(
  run: BackFill,
  set: UnfinishedSet,
  target: Target,
  playerId: string,
): Promise<void> {
  const { connection } = run;
  for (let attempt = 1, left = [playerId]; left.length > 0; attempt++) {
    const isLocked = attempt > ATTEMPTS_ALONE;
    left = await inTransaction(connection, async () => {
      const read = isLocked ? lockWalkedPlayers : rereadWalkedPlayers;
      const behind = (await read(connection, set, left)).filter((player) => isBehind(player, target));
      if (behind.length === 0) return [];
      const states = await statesOf(run, target, behind);
      if (!isLocked) await run.onRead?.(left);
      return writeUnchanged(run, set, target, behind, states);
    });
  }
}

/** The ids of those who are left: they have changed since they were read. Players who were erased meanwhile are not among them. */
async function writeUnchanged(
  { connection }: BackFill,
  set: UnfinishedSet,
  target: Target,
  read: readonly WalkedPlayer[],
  states: readonly NewState[],
): Promise<string[]> {
  const before = new Map(read.map((player) => [player.playerId, player]));
  const now = await lockWalkedPlayers(connection, set, [...before.keys()]);
  const isSame = ({ playerId, eventCount, ownVersion }: WalkedPlayer) => {
    const known = before.get(playerId);
    return known?.eventCount === eventCount && known.ownVersion === ownVersion;
  };
  const unchanged = new Set(now.filter(isSame).map(({ playerId }) => playerId));
  const written = states.filter(({ playerId }) => unchanged.has(playerId));
  if (written.length > 0) await updateOwnStates(connection, written);
  return now
    .filter((player) => isBehind(player, target) && !unchanged.has(player.playerId))
    .map(({ playerId }) => playerId);
}

function isBehind({ ownVersion }: WalkedPlayer, { version }: Target): boolean {
  return ownVersion !== version;
}

type Target = Readonly<{ version: number | null; set: OwnSet; definitions: UnfinishedSet['definitions'] }>;

/** A game that has given all its attributes up has nothing to fold. */
function targetOf({ version, definitions }: UnfinishedSet): Target {
  return { version: definitions.length === 0 ? null : version, set: ownSet(definitions), definitions };
}

/** The states of players by the new set: what they have of it already, and the rest from their blocks. */
async function statesOf(
  { connection, clock }: BackFill,
  { version, set, definitions }: Target,
  players: readonly WalkedPlayer[],
): Promise<NewState[]> {
  const folds = new Map<string, OwnFold>();
  const gaining = new Set<string>();
  for (const { playerId, ownState, hasEvents } of players) {
    const missing = definitions.filter((definition) => !hasKey(ownState, keyOf(definition)));
    if (missing.length === 0) continue;
    gaining.add(playerId);
    if (hasEvents) folds.set(playerId, new OwnFold(ownSet(missing), {}));
  }
  if (folds.size > 0) await foldBlocks(connection, folds);
  const nowMs = clock.now();
  return players.map(({ playerId, eventCount, ownState }) => {
    // Without events there is no state: the first ones make it.
    if (version === null || eventCount === '0') return { playerId, version, state: null };
    const folded = folds.get(playerId)?.state ?? {};
    const entries = set.keys.map((key) => [key, ownState?.[key] ?? folded[key] ?? null]);
    // What the player is shown may change now, without an event.
    const workedOutAt = gaining.has(playerId) ? nowMs : ownState?.[WORKED_OUT_AT];
    if (workedOutAt !== undefined) entries.unshift([WORKED_OUT_AT, workedOutAt]);
    return { playerId, version, state: JSON.stringify(Object.fromEntries(entries)) };
  });
}

function hasKey(state: OwnState | null, key: string): boolean {
  return state !== null && Object.hasOwn(state, key);
}
