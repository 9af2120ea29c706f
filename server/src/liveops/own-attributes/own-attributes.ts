import type { AttributeEntry } from '../../decide/document/parts/attributes.js';
import { entryBytes, keyOf, OWN_LIMITS, stateBytes } from '../../decide/own-attributes/own-definition.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** The published own attributes of a game, and how far their past has been worked out. */
export type OwnAttributesState = Readonly<{
  configVersion: number;
  attributes: (AttributeEntry & { bytes: number })[];
  bytes: number;
  maxBytes: number;
  state: 'none' | 'working' | 'ready';
  players: number | null;
  playersDone: number;
  since: number | null;
  finishedAt: number | null;
}>;

type Row = Pick<OwnAttributesState, 'configVersion' | 'players' | 'since' | 'finishedAt'> & {
  attributes: AttributeEntry[] | null;
  playersDone: number | null;
};

export async function findOwnAttributes(pool: Pool, gameId: number): Promise<OwnAttributesState> {
  const rows = await query<Row>(
    pool,
    {
      name: 'find_own_attributes',
      text: `select g.published_version as "configVersion", v.document -> 'attributes' as attributes,
               s.players::float8 as players, s.players_done::float8 as "playersDone", s.created_at as since,
               s.finished_at as "finishedAt"
             from games g
             left join config_versions v on v.game_id = g.id and v.version = g.published_version
             left join own_attribute_sets s on s.game_id = g.id and s.version = g.own_attributes_version
             where g.id = $1`,
    },
    [gameId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no game ${gameId}`);
  const { attributes, playersDone, ...found } = row;
  const defined = attributes ?? [];
  const distinct = new Map(defined.map((entry) => [keyOf(entry), entry]));
  return {
    ...found,
    attributes: defined.map((entry) => ({ ...entry, bytes: entryBytes(entry) })),
    bytes: distinct.size === 0 ? 0 : stateBytes(distinct.values()),
    maxBytes: OWN_LIMITS.stateBytes,
    state: found.since === null ? 'none' : found.finishedAt === null ? 'working' : 'ready',
    playersDone: playersDone ?? 0,
  };
}
