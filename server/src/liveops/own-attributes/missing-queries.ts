import type { OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';
import { HAS_EVENTS } from './back-fill-queries.js';

/** What is looked for in the rows of players. */
export type Missing = Readonly<{ eventTypes: readonly string[]; keys: readonly string[] }>;

/** The definitions that every player of the game has. None while the back-fill is at work. */
export async function findReadyDefinitions(
  connection: DedicatedConnection | Client,
  gameId: number,
): Promise<readonly OwnDefinition[]> {
  const { rows } = await connection.query<{ definitions: OwnDefinition[] }>(
    `select s.definitions from games g
     join own_attribute_sets s on s.game_id = g.id and s.version = g.own_attributes_version
     where g.id = $1 and s.finished_at is not null`,
    [gameId],
  );
  return rows[0]?.definitions ?? [];
}

/** $2: keys. */
const LACKS_KEYS = "not (coalesce(own_attributes::jsonb, '{}') ?& $2::text[])";

/** The players whose events have to be folded, and how many events each of them has. */
export async function findEventsToFold(
  connection: DedicatedConnection | Client,
  playerIds: readonly string[],
  { eventTypes, keys }: Missing,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await connection.query<{ playerId: string; events: number }>(
    `select id as "playerId", event_count::float8 as events from players
     where id = any($3::bigint[]) and ${LACKS_KEYS} and ${HAS_EVENTS}`,
    [eventTypes, keys, playerIds],
  );
  return new Map(rows.map(({ playerId, events }) => [playerId, events]));
}
