import {
  type DedicatedConnection,
  isUndefinedTable,
  walkByIndex,
  walkFreely,
} from '../../platform/db/dedicated-connection.js';
import { countPages } from '../../platform/db/table-pages.js';
import type { Rest } from '../../platform/lib/share-of-time.js';
import { listPartitions } from './erase-events.js';
import { noteCounts } from './table-erasures.js';

const NOTE_IDENTITIES = noteCounts("'event_identities', count(*)");

/** 8 MB: some ten milliseconds. */
const PAGES_PER_STATEMENT = 1_000;

/**
 * Deletes the identities of events. They have no index by player, which would cost every event: all pages are read, once for all
 * players that are being erased. Most games number their events, and have few identities.
 */
export async function eraseIdentities(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  rest: Rest,
): Promise<void> {
  await walkFreely(connection);
  for (const table of await listPartitions(connection, 'event_identities')) {
    try {
      await eraseGeneration(connection, table, playerIds, rest);
    } catch (error) {
      // Old generations are dropped as a whole.
      if (!isUndefinedTable(error)) throw error;
    }
  }
  await walkByIndex(connection);
}

async function eraseGeneration(
  connection: DedicatedConnection,
  table: string,
  playerIds: readonly string[],
  rest: Rest,
): Promise<void> {
  const name = connection.escapeIdentifier(table);
  const pages = await countPages(connection, table);
  for (let page = 0; page < pages; page += PAGES_PER_STATEMENT) {
    await connection.query(
      `with gone as (
         delete from ${name}
         where ctid >= format('(%s,0)', $2::bigint)::tid and ctid < format('(%s,0)', $3::bigint)::tid
           and player_id = any($1::bigint[])
         returning player_id
       ), ${NOTE_IDENTITIES}
       select`,
      [playerIds, page, page + PAGES_PER_STATEMENT],
    );
    await rest();
  }
}
