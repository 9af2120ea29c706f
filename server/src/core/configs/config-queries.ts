import { DEFAULT_DOCUMENT } from '../../decide/document/default-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { runningExperiments } from './experiment-changes.js';

export type SegmentVersions = Readonly<Record<string, number>>;

export type ConfigVersion = {
  version: number;
  document: ConfigDocument;
  segmentVersions: SegmentVersions;
  /** The segments that exposures to its experiments are stored with: see `exposureSegmentSteps`. */
  exposureSegments: readonly string[] | null;
  author: string;
  /** Of the person who was signed in; null for a token, a command and the service itself. */
  authorEmail: string | null;
  note: string;
  publishedAt: number;
  /** The older version that this one repeats, if it is a roll-back. */
  copyOf: number | null;
};

/** What a game has before anything is published. */
const UNPUBLISHED: ConfigVersion = Object.freeze({
  version: 0,
  document: DEFAULT_DOCUMENT,
  segmentVersions: {},
  exposureSegments: null,
  author: 'savepoint',
  authorEmail: null,
  note: 'What every game begins with.',
  publishedAt: 0,
  copyOf: null,
});

const VERSION_COLUMNS = `version, document, segment_versions as "segmentVersions", exposure_segments as "exposureSegments",
  author, author_email as "authorEmail", note, published_at as "publishedAt", copy_of as "copyOf"`;

export async function findConfigVersion(
  db: Pool | Client,
  gameId: number,
  version: number,
): Promise<ConfigVersion | undefined> {
  if (version === 0) return UNPUBLISHED;
  const rows = await query<ConfigVersion>(
    db,
    {
      name: 'find_config_version',
      text: `select ${VERSION_COLUMNS} from config_versions where game_id = $1 and version = $2`,
    },
    [gameId, version],
  );
  return rows[0];
}

export type StoredVersion = Pick<
  ConfigVersion,
  'version' | 'segmentVersions' | 'exposureSegments' | 'publishedAt'
> &
  Readonly<{ text: string }>;

/** A version with the text of its document, for those who read it in steps. */
export async function findStoredVersion(
  db: Pool | Client,
  gameId: number,
  version: number,
): Promise<StoredVersion | undefined> {
  const rows = await query<StoredVersion>(
    db,
    {
      name: 'find_stored_version',
      text: `select version, document::text as text, segment_versions as "segmentVersions",
               exposure_segments as "exposureSegments", published_at as "publishedAt"
             from config_versions where game_id = $1 and version = $2`,
    },
    [gameId, version],
  );
  return rows[0];
}

/** For a version that must be there: the one in force, or one that something was based on. */
export async function requireConfigVersion(
  db: Pool | Client,
  gameId: number,
  version: number,
): Promise<ConfigVersion> {
  const found = await findConfigVersion(db, gameId, version);
  if (found === undefined) throw new Error(`game ${gameId} has no version ${version}`);
  return found;
}

/** The version that was in force at an instant; the default document before the first publication. */
export async function findConfigVersionAt(
  db: Pool | Client,
  gameId: number,
  atMs: number,
): Promise<ConfigVersion> {
  const rows = await query<ConfigVersion>(
    db,
    {
      name: 'find_config_version_at',
      text: `select ${VERSION_COLUMNS} from config_versions where game_id = $1 and published_at <= $2
             order by version desc limit 1`,
    },
    [gameId, new Date(atMs)],
  );
  return rows[0] ?? UNPUBLISHED;
}

export type ConfigVersionSummary = Omit<ConfigVersion, 'document' | 'segmentVersions' | 'exposureSegments'>;

/** The newest versions, or those before one. */
export async function listConfigVersions(
  pool: Pool,
  gameId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<ConfigVersionSummary[]> {
  return query<ConfigVersionSummary>(
    pool,
    {
      name: 'list_config_versions',
      text: `select version, author, author_email as "authorEmail", note, published_at as "publishedAt",
               copy_of as "copyOf"
             from config_versions where game_id = $1 and ($2::int is null or version < $2)
             order by version desc
             limit $3`,
    },
    [gameId, before, limit],
  );
}

/** The versions that were published in a span of time, `sinceMs` included, newest first. */
export async function listVersionsPublished(
  db: Pool | Client,
  gameId: number,
  { sinceMs, beforeMs, limit }: { sinceMs: number; beforeMs: number; limit: number },
): Promise<ConfigVersionSummary[]> {
  return query<ConfigVersionSummary>(
    db,
    {
      name: 'list_versions_published',
      text: `select version, author, author_email as "authorEmail", note, published_at as "publishedAt",
               copy_of as "copyOf"
             from config_versions where game_id = $1 and published_at >= $2 and published_at < $3
             order by published_at desc, version desc
             limit $4`,
    },
    [gameId, new Date(sinceMs), new Date(beforeMs), limit],
  );
}

/** When the version was published that was in force at an instant; null if none was published by then. */
export async function findPublicationBefore(
  db: Pool | Client,
  gameId: number,
  atMs: number,
): Promise<number | null> {
  const rows = await query<{ publishedAt: number | null }>(
    db,
    {
      name: 'find_publication_before',
      text: `select max(published_at) as "publishedAt" from config_versions where game_id = $1 and published_at <= $2`,
    },
    [gameId, new Date(atMs)],
  );
  return rows[0]?.publishedAt ?? null;
}

export type NewConfigVersion = Omit<ConfigVersion, 'version'> & { gameId: number };

/** The caller has locked the game: numbers have no gap and are given once. */
export async function insertNextConfigVersion(client: Client, next: NewConfigVersion): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `update games set published_version = published_version + 1, running_experiments = $2
     where id = $1 returning published_version as version`,
    [next.gameId, runningExperiments(next.document)],
  );
  const version = rows[0]?.version;
  if (version === undefined) throw new Error(`there is no game ${next.gameId}`);
  await client.query(
    `insert into config_versions (game_id, version, document, segment_versions, author, author_email, note, published_at, copy_of, exposure_segments)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      next.gameId,
      version,
      JSON.stringify(next.document),
      JSON.stringify(next.segmentVersions),
      next.author,
      next.authorEmail,
      next.note,
      new Date(next.publishedAt),
      next.copyOf,
      next.exposureSegments,
    ],
  );
  return version;
}

export type LockedGame = { gameId: number; tenantId: number; publishedVersion: number };

/** Editors of one game take turns from here to the end of the transaction; players' requests do not wait. */
export async function lockGame(client: Client, gameId: number): Promise<LockedGame> {
  const { rows } = await client.query<LockedGame>(
    `select id as "gameId", tenant_id as "tenantId", published_version as "publishedVersion"
     from games where id = $1 for no key update`,
    [gameId],
  );
  const [game] = rows;
  if (game === undefined) throw new Error(`there is no game ${gameId}`);
  return game;
}
