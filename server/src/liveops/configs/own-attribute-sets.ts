import type { ConfigDocument } from '../../decide/document/document.js';
import { keyOf, type OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import type { Client } from '../../platform/db/pool.js';

/**
 * Makes the own attributes of a document the next set of its game, if they differ from the last set. The back-fill brings players to it. In the
 * transaction of the publication, under the lock on the game.
 */
export async function publishOwnAttributes(
  client: Client,
  gameId: number,
  { attributes = [] }: ConfigDocument,
  nowMs: number,
): Promise<void> {
  const last = await findLastSet(client, gameId);
  const next = new Map(attributes.map((entry) => [keyOf(entry), definitionOf(entry)]));
  const known = new Set(last.map(keyOf));
  if (known.size === next.size && [...next.keys()].every((key) => known.has(key))) return;
  const at = new Date(nowMs);
  await client.query(
    'update own_attribute_sets set finished_at = $2 where game_id = $1 and finished_at is null',
    [gameId, at],
  );
  await client.query(
    `with game as (
       update games set own_attributes_version = coalesce(own_attributes_version, 0) + 1 where id = $1
       returning id, own_attributes_version
     )
     insert into own_attribute_sets (game_id, version, definitions, created_at)
     select id, own_attributes_version, $2, $3 from game`,
    [gameId, JSON.stringify([...next.values()]), at],
  );
}

/** Empty for a game that never had own attributes. */
async function findLastSet(client: Client, gameId: number): Promise<OwnDefinition[]> {
  const { rows } = await client.query<{ definitions: OwnDefinition[] }>(
    `select s.definitions from games g
     join own_attribute_sets s on s.game_id = g.id and s.version = g.own_attributes_version
     where g.id = $1`,
    [gameId],
  );
  return rows[0]?.definitions ?? [];
}

/** Without id and description, which do not change what is folded. */
function definitionOf({ eventType, member, fold, type }: OwnDefinition): OwnDefinition {
  return { eventType, member, fold, type };
}
