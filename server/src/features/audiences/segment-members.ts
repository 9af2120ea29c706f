import { type Client, type Pool, snapshot } from '../../db/pool.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import type { ModelsInForce } from '../../personalisation/predict/models-in-force.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { factColumns } from '../evaluations/fact-columns.js';
import { factNeeds } from '../evaluations/fact-needs.js';
import { listFactRows } from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { findCurrentModels } from '../predictions/models-at.js';
import { neededParts } from './needed-parts.js';
import { findPlayersByUserId, listNewestPlayerIds, type PlayerListRow } from './player-list-queries.js';
import { PORTION_PLAYERS } from './player-samples.js';

/** A page examines at most this many players, which takes a fifth of a second. The next page continues from there. */
export const MAX_EXAMINED = 5_000;

export type MemberSearch = Readonly<{
  gameId: number;
  document: CompiledDocument;
  segmentId: string;
  /** Only players before this id. */
  beforeId: string;
  limit: number;
  nowMs: number;
}>;

export type Members = Readonly<{
  players: PlayerListRow[];
  /** Null: all players were examined. */
  nextBeforeId: string | null;
  examined: number;
}>;

/**
 * The newest players of a segment. Memberships are not stored, because they can change with time alone. So the players are
 * evaluated one by one, by the same functions as in a dry run.
 */
export async function listSegmentMembers(pool: Pool, search: MemberSearch): Promise<Members> {
  const { models } = await findCurrentModels(pool, search.gameId);
  return snapshot(pool, async (client) => {
    await client.query('set local jit = off');
    const { limit, gameId } = search;
    const isMember = membership(search, models);
    const userIds: string[] = [];
    let beforeId = search.beforeId;
    let examined = 0;
    let isAtEnd = false;
    while (!isAtEnd && userIds.length <= limit && examined < MAX_EXAMINED) {
      const ids = await listNewestPlayerIds(client, gameId, beforeId, PORTION_PLAYERS);
      userIds.push(...(await isMember(client, ids)));
      examined += ids.length;
      beforeId = ids.at(-1) ?? beforeId;
      isAtEnd = ids.length < PORTION_PLAYERS;
    }
    const players = await findInOrder(client, gameId, userIds.slice(0, limit));
    const isCut = userIds.length > limit;
    const nextBeforeId = isCut ? (players.at(-1)?.id ?? null) : isAtEnd ? null : beforeId;
    return { players, nextBeforeId, examined };
  });
}

/** Returns a function that picks the players of a portion who are in the segment, newest first. */
function membership({ document, segmentId, gameId, nowMs }: MemberSearch, models: ModelsInForce) {
  const needed = neededParts(document, { kind: 'segment', id: segmentId });
  const columns = factColumns(factNeeds([needed]), nowMs);
  const timeSlice = new TimeSlice(() => performance.now());
  return async (client: Client, ids: readonly string[]): Promise<string[]> => {
    const [newest, oldest] = [ids[0], ids.at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const range = { after: String(BigInt(oldest) - 1n), upTo: newest, before: 0 };
    const all = { examined: 1, players: 1 };
    const members: string[] = [];
    for (const row of await listFactRows(client, gameId, columns, range, all)) {
      const facts = columns.toFacts(row);
      // A rule that fails for a player counts as false; `explain` shows the error.
      const { segments } = evaluatePlayer(needed, facts, nowMs, models, () => {});
      if (segments.has(segmentId)) members.push(facts.userId);
      if (timeSlice.isOver) await timeSlice.giveWay();
    }
    return members.reverse();
  };
}

async function findInOrder(
  client: Client,
  gameId: number,
  userIds: readonly string[],
): Promise<PlayerListRow[]> {
  const rows = await findPlayersByUserId(client, gameId, userIds);
  const byUserId = new Map(rows.map((row) => [row.playerId, row]));
  return userIds.flatMap((userId) => byUserId.get(userId) ?? []);
}
