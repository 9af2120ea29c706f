import { type Pool, snapshot } from '../../platform/db/pool.js';
import { findListedPlayers, type PlayerListRow } from './player-list-queries.js';
import { PORTION_PLAYERS } from './player-samples.js';
import type { ChunkReader, ListKey } from './player-sorts.js';
import type { MemberFilter } from './segment-members.js';

/** A page examines at most this many players, which takes a fifth of a second. The next page continues from there. */
export const MAX_EXAMINED = 5_000;

/** What all players of a list have in common; left out where it does not matter. */
export type PlayerFilter = Readonly<{
  /** Last known, as the client sent it. */
  country?: string | undefined;
  /** Of the last event, or of the first login of a player without events. */
  seenSinceMs?: number | undefined;
  seenBeforeMs?: number | undefined;
  minSpend?: Readonly<{ amount: number; currency: string }> | undefined;
}>;

export type PlayerSearch = Readonly<{
  gameId: number;
  read: ChunkReader;
  after: ListKey | null;
  filter: PlayerFilter;
  isMember?: MemberFilter | undefined;
  limit: number;
}>;

export type PlayerPage = Readonly<{
  players: readonly Readonly<{ row: PlayerListRow; key: ListKey }>[];
  next: ListKey | null;
  examined: number;
}>;

/**
 * A page of players in an order. What a filter asks for has no index, because it changes with the events of a player: so the players
 * are examined one by one in the order of the list, some thousands at most for a page.
 */
export async function listPlayers(pool: Pool, search: PlayerSearch): Promise<PlayerPage> {
  return snapshot(pool, async (client) => {
    const { gameId, limit, filter, isMember } = search;
    const size = isFiltered(search) ? PORTION_PLAYERS : limit + 1;
    const found: { row: PlayerListRow; key: ListKey }[] = [];
    let position: ListKey | null = search.after;
    let examined = 0;
    let isAtEnd = false;
    while (!isAtEnd && found.length <= limit && examined < MAX_EXAMINED) {
      const { candidates, next, examined: read } = await search.read(client, gameId, position, size);
      const rows = await findListedPlayers(
        client,
        gameId,
        candidates.map(({ id }) => id),
      );
      const fitting = rows.filter((row) => fits(row, filter));
      const members = isMember === undefined ? fitting : await isMember(client, fitting);
      const byId = new Map(members.map((row) => [row.id, row]));
      for (const { id, key } of candidates) {
        const row = byId.get(id);
        if (row !== undefined) found.push({ row, key });
      }
      // A read that finds nobody counts, too: a search has to end.
      examined += Math.max(1, read);
      position = next;
      isAtEnd = next === null;
    }
    const page = found.slice(0, limit);
    const isCut = found.length > limit;
    const next = isCut ? (page.at(-1)?.key ?? null) : position;
    return { players: page, next, examined };
  });
}

/** Whether players are left out, so that more have to be read than are shown. */
export function isFiltered({ filter, isMember }: Pick<PlayerSearch, 'filter' | 'isMember'>): boolean {
  return isMember !== undefined || Object.values(filter).some((value) => value !== undefined);
}

function fits(row: PlayerListRow, { country, seenSinceMs, seenBeforeMs, minSpend }: PlayerFilter): boolean {
  const seenMs = row.lastEventAt ?? row.createdAt;
  return (
    (country === undefined || row.country === country) &&
    (seenSinceMs === undefined || seenMs >= seenSinceMs) &&
    (seenBeforeMs === undefined || seenMs < seenBeforeMs) &&
    (minSpend === undefined || (row.spend[minSpend.currency] ?? 0) >= minSpend.amount)
  );
}
