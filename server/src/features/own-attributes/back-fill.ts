import { type DedicatedConnection, inTransaction } from '../../db/dedicated-connection.js';
import { keyOf } from '../../personalisation/own-attributes/own-definition.js';
import {
  OwnFold,
  type OwnSet,
  type OwnState,
  ownSet,
} from '../../personalisation/own-attributes/own-state.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import {
  findUnfinishedSet,
  listWalkedPlayers,
  lockWalkedPlayers,
  type NewState,
  readBlocks,
  type UnfinishedSet,
  updateOwnStates,
  updateWalkBegun,
  updateWalkFinished,
  updateWalkProgress,
  type WalkedPlayer,
} from './back-fill-queries.js';
import { storedEvents } from './stored-events.js';

const PLAYERS_PER_CHUNK = 200;
/** Players who send events all the time are read under their lock after this many attempts without. */
const ATTEMPTS = 3;

type BackFill = Readonly<{
  connection: DedicatedConnection;
  signal?: AbortSignal;
  /** Called between reading and writing. Tests send events meanwhile. */
  onRead?: () => Promise<void>;
  playersPerChunk?: number;
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
  let players = 0;
  let sets = 0;
  for (;;) {
    const set = await findUnfinishedSet(connection);
    if (set === undefined) return { isDone: true, players, sets };
    if (set.players === null) await updateWalkBegun(connection, set);
    for (let afterId = set.lastPlayerId; ; ) {
      if (signal?.aborted) return { isDone: false, players, sets };
      const limit = run.playersPerChunk ?? PLAYERS_PER_CHUNK;
      const chunk = await listWalkedPlayers(connection, set, { afterId, limit });
      const last = chunk.at(-1);
      if (last === undefined) {
        await updateWalkFinished(connection, set);
        break;
      }
      players += await bringToSet(run, set, chunk);
      afterId = last.playerId;
      const progress = { lastPlayerId: afterId, players: chunk.length };
      if (!(await updateWalkProgress(connection, set, progress))) break;
    }
    sets++;
  }
}

async function bringToSet(
  run: BackFill,
  set: UnfinishedSet,
  chunk: readonly WalkedPlayer[],
): Promise<number> {
  const target = targetOf(set);
  const isBehind = ({ ownVersion }: WalkedPlayer) => ownVersion !== target.version;
  let waiting = chunk.filter(isBehind);
  const count = waiting.length;
  for (let attempt = 1; waiting.length > 0; attempt++) {
    const isLocked = attempt > ATTEMPTS;
    waiting = await inTransaction(run.connection, async () => {
      const ids = waiting.map(({ playerId }) => playerId);
      if (isLocked) waiting = (await lockWalkedPlayers(run.connection, set, ids)).filter(isBehind);
      const states = await statesOf(run.connection, target, waiting);
      if (!isLocked) await run.onRead?.();
      const now = await lockWalkedPlayers(run.connection, set, ids);
      const before = new Map(waiting.map((player) => [player.playerId, player]));
      const isSame = ({ playerId, eventCount, ownVersion }: WalkedPlayer) => {
        const known = before.get(playerId);
        return known?.eventCount === eventCount && known.ownVersion === ownVersion;
      };
      const unchanged = new Set(now.filter(isSame).map(({ playerId }) => playerId));
      const written = states.filter(({ playerId }) => unchanged.has(playerId));
      if (written.length > 0) await updateOwnStates(run.connection, written);
      // Players who were erased meanwhile are not among those that are locked.
      return now.filter((player) => isBehind(player) && !unchanged.has(player.playerId));
    });
  }
  return count;
}

type Target = Readonly<{ version: number | null; set: OwnSet; definitions: UnfinishedSet['definitions'] }>;

/** A game that has given all its attributes up has nothing to fold. */
function targetOf({ version, definitions }: UnfinishedSet): Target {
  return { version: definitions.length === 0 ? null : version, set: ownSet(definitions), definitions };
}

/** The states of players by the new set: what they have of it already, and the rest from their blocks. */
async function statesOf(
  connection: DedicatedConnection,
  { version, set, definitions }: Target,
  players: readonly WalkedPlayer[],
): Promise<NewState[]> {
  const folds = new Map<string, OwnFold>();
  for (const { playerId, ownState, hasEvents } of players) {
    const missing = definitions.filter((definition) => !hasKey(ownState, keyOf(definition)));
    if (hasEvents && missing.length > 0) folds.set(playerId, new OwnFold(ownSet(missing), {}));
  }
  if (folds.size > 0) await foldBlocks(connection, folds);
  return players.map(({ playerId, eventCount, ownState }) => {
    // Without events there is no state: the first ones make it.
    if (version === null || eventCount === '0') return { playerId, version, state: null };
    const folded = folds.get(playerId)?.state ?? {};
    const entries = set.keys.map((key) => [key, ownState?.[key] ?? folded[key] ?? null]);
    return { playerId, version, state: JSON.stringify(Object.fromEntries(entries)) };
  });
}

function hasKey(state: OwnState | null, key: string): boolean {
  return state !== null && Object.hasOwn(state, key);
}

async function foldBlocks(
  connection: DedicatedConnection,
  folds: ReadonlyMap<string, OwnFold>,
): Promise<void> {
  const timeSlice = new TimeSlice(() => performance.now());
  for await (const { playerId, receivedAtMs, eventsJson } of readBlocks(connection, [...folds.keys()])) {
    const fold = folds.get(playerId);
    if (fold === undefined) continue;
    for (const event of storedEvents(eventsJson, receivedAtMs)) {
      if (fold.reads(event.eventType)) fold.add(event.eventType, event);
    }
    if (timeSlice.isOver) await timeSlice.giveWay();
  }
}
