import type { OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import type { OwnState } from '../../decide/own-attributes/own-state.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';

/** A set to which not all players of its game have been brought. */
export type UnfinishedSet = Readonly<{
  gameId: number;
  version: number;
  definitions: readonly OwnDefinition[];
  lastPlayerId: string;
  /** Null: the walk has not begun. */
  players: number | null;
}>;

/**
 * The one whose last turn is the longest ago. The turn is noted before its work: a set whose work fails lets the others go first
 * next time.
 */
export async function takeUnfinishedSet(connection: DedicatedConnection): Promise<UnfinishedSet | undefined> {
  const { rows } = await connection.query<UnfinishedSet>(
    `update own_attribute_sets set walked_at = clock_timestamp()
     where (game_id, version) = (
       select game_id, version from own_attribute_sets where finished_at is null
       order by walked_at nulls first, created_at, game_id limit 1)
     returning game_id as "gameId", version, definitions, last_player_id as "lastPlayerId", players::float8 as players`,
  );
  return rows[0];
}

/** The first estimate of how long the walk takes. */
export async function updateWalkBegun(
  connection: DedicatedConnection,
  { gameId, version }: UnfinishedSet,
): Promise<void> {
  await connection.query(
    `update own_attribute_sets set players = (select count(*) from players where game_id = $1)
     where game_id = $1 and version = $2`,
    [gameId, version],
  );
}

/** False: a newer set has taken its place. */
export async function updateWalkProgress(
  connection: DedicatedConnection,
  { gameId, version }: UnfinishedSet,
  { lastPlayerId, players }: { lastPlayerId: string; players: number },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update own_attribute_sets set last_player_id = $3, players_done = players_done + $4
     where game_id = $1 and version = $2 and finished_at is null`,
    [gameId, version, lastPlayerId, players],
  );
  return rowCount === 1;
}

export async function updateWalkFinished(
  connection: DedicatedConnection,
  { gameId, version }: UnfinishedSet,
): Promise<void> {
  await connection.query(
    'update own_attribute_sets set finished_at = now() where game_id = $1 and version = $2 and finished_at is null',
    [gameId, version],
  );
}

/** A player on the way to a set. */
export type WalkedPlayer = Readonly<{
  playerId: string;
  /** As text: it only ever is compared. */
  eventCount: string;
  ownVersion: number | null;
  ownState: OwnState | null;
  /** Whether an event of the types in question may be stored. Of more than 256 types, only some are counted. */
  hasEvents: boolean;
}>;

/** $1: event types. */
export const HAS_EVENTS = `(event_counts ?| $1::text[] or (select count(*) from jsonb_object_keys(event_counts)) >= 256)`;

const WALKED_PLAYER = `id as "playerId", event_count::text as "eventCount", own_attributes_version as "ownVersion",
  own_attributes as "ownState",
  ${HAS_EVENTS} as "hasEvents"`;

/** The next players of a game, by id. */
export async function listWalkedPlayers(
  connection: DedicatedConnection,
  { gameId, definitions }: UnfinishedSet,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<WalkedPlayer[]> {
  const { rows } = await connection.query<WalkedPlayer>(
    `select ${WALKED_PLAYER} from players where game_id = $2 and id > $3 order by id limit $4`,
    [eventTypesOf(definitions), gameId, afterId, limit],
  );
  return rows;
}

/** Players who may have changed since they were listed. */
export async function rereadWalkedPlayers(
  connection: DedicatedConnection,
  { definitions }: UnfinishedSet,
  playerIds: readonly string[],
): Promise<WalkedPlayer[]> {
  const { rows } = await connection.query<WalkedPlayer>(
    `select ${WALKED_PLAYER} from players where id = any($2::bigint[]) order by id`,
    [eventTypesOf(definitions), playerIds],
  );
  return rows;
}

/** Locks players in the order of their ids, as intake does, and reads them. */
export async function lockWalkedPlayers(
  connection: DedicatedConnection,
  { definitions }: UnfinishedSet,
  playerIds: readonly string[],
): Promise<WalkedPlayer[]> {
  const { rows } = await connection.query<WalkedPlayer>(
    `select ${WALKED_PLAYER} from players where id = any($2::bigint[]) order by id for no key update`,
    [eventTypesOf(definitions), playerIds],
  );
  return rows;
}

export function eventTypesOf(definitions: readonly OwnDefinition[]): string[] {
  return [...new Set(definitions.map(({ eventType }) => eventType))];
}

export type NewState = Readonly<{ playerId: string; version: number | null; state: string | null }>;

/** The players must be locked. */
export async function updateOwnStates(
  connection: DedicatedConnection,
  states: readonly NewState[],
): Promise<void> {
  await connection.query(
    `update players p set own_attributes = s.state::json, own_attributes_version = s.version
     from jsonb_to_recordset($1::jsonb) as s("playerId" bigint, version integer, state text)
     where p.id = s."playerId" and p.id = any($2::bigint[])`,
    [JSON.stringify(states), states.map(({ playerId }) => playerId)],
  );
}

export type StoredBlock = { playerId: string; receivedAtMs: number; eventsJson: string };

/** All blocks of these players, a few at a time. Within a transaction of the caller's. */
export async function* readBlocks(
  connection: DedicatedConnection | Client,
  playerIds: readonly string[],
): AsyncGenerator<StoredBlock> {
  await connection.query(
    `declare own_blocks no scroll cursor for
     select player_id as "playerId", floor(extract(epoch from received_at) * 1000)::float8 as "receivedAtMs",
       events::text as "eventsJson"
     from event_blocks where player_id = any($1::bigint[])`,
    [playerIds],
  );
  for (;;) {
    const { rows } = await connection.query<StoredBlock>('fetch 50 from own_blocks');
    yield* rows;
    if (rows.length === 0) break;
  }
  await connection.query('close own_blocks');
}
