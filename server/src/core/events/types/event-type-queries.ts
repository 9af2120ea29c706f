import { type Actor, insertAuditEntry } from '../../../platform/admin-api/audit-log.js';
import type { UnregisteredTypes } from '../../../platform/admin-api/tenants.js';
import { type Client, type Pool, query, transaction } from '../../../platform/db/pool.js';
import type { StoreSettings } from '../receipts/store-settings.js';

/** More types would be names invented by a program, and every node keeps all of them in memory. */
const MAX_EVENT_TYPES = 1_000;

export type RegisteredSchema = { eventType: string; version: number; schemaText: string };
export type Registry = {
  /** Of the whole registry, not of a schema: it moves with every change. */
  version: number;
  unregisteredTypes: UnregisteredTypes;
  /** Null for a game that has never set them. */
  stores: StoreSettings | null;
  schemas: RegisteredSchema[];
};

/** The registry as it is now: of each type the newest version, unless it is retired. In one statement, so of one moment. */
export async function findRegistry(pool: Pool, gameId: number): Promise<Registry | undefined> {
  const rows = await query<
    Pick<Registry, 'version' | 'unregisteredTypes' | 'stores'> & {
      eventType: string | null;
      schemaVersion: number;
      schemaText: string;
    }
  >(
    pool,
    {
      name: 'find_registry',
      text: `select g.registry_version as version, g.unregistered_types as "unregisteredTypes", s.settings as stores,
               t.event_type as "eventType", t.version as "schemaVersion", t.schema::text as "schemaText"
             from games g
             left join game_stores s on s.game_id = g.id
             left join lateral (
               select distinct on (event_type) event_type, version, schema, retired_at
               from event_types
               where game_id = g.id
               order by event_type, version desc
             ) t on t.retired_at is null
             where g.id = $1`,
    },
    [gameId],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const schemas = rows.flatMap(({ eventType, schemaVersion: version, schemaText }) =>
    eventType === null ? [] : [{ eventType, version, schemaText }],
  );
  const { version, unregisteredTypes, stores } = first;
  return { version, unregisteredTypes, stores, schemas };
}

export type NewEventType = { gameId: number; eventType: string; schemaText: string };

/** The number of the new version, or undefined when the game has too many types to add another. */
export function insertEventType(pool: Pool, added: NewEventType, actor: Actor): Promise<number | undefined> {
  const { gameId, eventType, schemaText } = added;
  return transaction(pool, async (client) => {
    // The lock on the game's row keeps two from getting the same number.
    await moveRegistry(client, gameId);
    const { rows } = await client.query<{ version: number }>(
      `insert into event_types (game_id, event_type, version, schema, author, created_at)
       select $1::int, $2::text, coalesce(max(version) filter (where event_type = $2), 0) + 1, $3::json, $4::text,
         $5::timestamptz
       from event_types
       where game_id = $1
       having count(*) filter (where event_type = $2) > 0 or count(distinct event_type) < $6
       returning version`,
      [gameId, eventType, schemaText, actor.name, new Date(actor.nowMs), MAX_EVENT_TYPES],
    );
    const version = rows[0]?.version;
    if (version === undefined) return undefined;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'event_type.register',
      target: `event type ${eventType}`,
      before: version === 1 ? null : { version: version - 1 },
      after: { version },
    });
    return version;
  });
}

/** False when the type is not registered, or retired already. */
export function retireEventType(
  pool: Pool,
  gameId: number,
  eventType: string,
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    await moveRegistry(client, gameId);
    const { rows } = await client.query<{ version: number }>(
      `update event_types set retired_at = $3
       where game_id = $1 and event_type = $2 and retired_at is null
         and version = (select max(version) from event_types where game_id = $1 and event_type = $2)
       returning version`,
      [gameId, eventType, new Date(actor.nowMs)],
    );
    const [retired] = rows;
    if (retired === undefined) return false;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'event_type.retire',
      target: `event type ${eventType}`,
      before: retired,
      after: null,
    });
    return true;
  });
}

async function moveRegistry(client: Client, gameId: number): Promise<void> {
  const { rowCount } = await client.query(
    'update games set registry_version = registry_version + 1 where id = $1',
    [gameId],
  );
  if (rowCount !== 1) throw new Error(`there is no game ${gameId}`);
}

export type ListedEventType = {
  eventType: string;
  /** The newest, the one that counts. */
  version: number;
  author: string;
  createdAt: number;
  retiredAt: number | null;
};

export async function listEventTypes(pool: Pool, gameId: number): Promise<ListedEventType[]> {
  const { rows } = await pool.query<ListedEventType>(
    `select distinct on (event_type) event_type as "eventType", version, author, created_at as "createdAt",
       retired_at as "retiredAt"
     from event_types
     where game_id = $1
     order by event_type, version desc`,
    [gameId],
  );
  return rows;
}

export type ShownEventType = ListedEventType & {
  /** As it was written. */
  schemaText: string;
};

/** One version of a type; the newest unless told otherwise. */
export async function findEventType(
  pool: Pool,
  gameId: number,
  eventType: string,
  version?: number,
): Promise<ShownEventType | undefined> {
  const { rows } = await pool.query<ShownEventType>(
    `select event_type as "eventType", version, author, created_at as "createdAt", retired_at as "retiredAt",
       schema::text as "schemaText"
     from event_types
     where game_id = $1 and event_type = $2 and ($3::int is null or version = $3)
     order by version desc
     limit 1`,
    [gameId, eventType, version ?? null],
  );
  return rows[0];
}
