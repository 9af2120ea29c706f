import { type Client, type Pool, transaction } from '../../db/pool.js';
import { type Actor, insertAuditEntry } from '../audit/audit-log.js';
import type { ConfigDocument } from '../personalisation/document.js';
import type { DocumentProblem } from '../personalisation/document-problems.js';
import { type PriceRaise, priceRaises } from '../personalisation/price-raises.js';
import { validateDocument } from '../personalisation/validate-document.js';
import {
  type ConfigVersion,
  findConfigVersion,
  insertNextConfigVersion,
  type LockedGame,
  lockGame,
  requireConfigVersion,
} from './config-queries.js';
import { type DocumentChange, documentDifference } from './document-difference.js';
import { nextSegmentVersions } from './segment-versions.js';

export type Publication = Readonly<{
  gameId: number;
  document: unknown;
  note: string;
  /** Prices inside of running offers may go up. */
  confirmPriceRaises?: boolean;
  /** The version that its author has seen; by default whichever is in force. */
  basedOn?: number;
}>;

export type PublishOutcome =
  | Readonly<{ outcome: 'published'; version: number; difference: readonly DocumentChange[] }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'unchanged'; version: number }>
  | Readonly<{ outcome: 'price_raise'; raises: readonly PriceRaise[] }>
  /** Somebody published after the author had looked; `difference` is what they changed. */
  | Readonly<{ outcome: 'conflict'; version: number; author: string; difference: readonly DocumentChange[] }>;

/** Publishes a document as the game's next version, or says why not, with nothing changed. */
export async function publishConfig(
  pool: Pool,
  publication: Publication,
  actor: Actor,
): Promise<PublishOutcome> {
  return transaction(pool, async (client) =>
    publishWithin(client, await lockGame(client, publication.gameId), publication, actor),
  );
}

/** The same in a transaction of the caller's, who has locked the game. */
export async function publishWithin(
  client: Client,
  game: LockedGame,
  { document, note, confirmPriceRaises = false, basedOn = game.publishedVersion }: Publication,
  actor: Actor,
): Promise<PublishOutcome> {
  const validation = validateDocument(document);
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  const current = await requireConfigVersion(client, game.gameId, game.publishedVersion);
  if (basedOn !== game.publishedVersion) {
    const seen = await requireConfigVersion(client, game.gameId, basedOn);
    return {
      outcome: 'conflict',
      version: current.version,
      author: current.author,
      difference: documentDifference(seen.document, current.document),
    };
  }
  const difference = documentDifference(current.document, validation.document);
  if (difference.length === 0 && current.version > 0) {
    return { outcome: 'unchanged', version: current.version };
  }
  const raises = confirmPriceRaises ? [] : priceRaises(current.document, validation.document, actor.nowMs);
  if (raises.length > 0) return { outcome: 'price_raise', raises };
  const version = await insertVersion(
    client,
    game,
    current,
    validation.document,
    { note, copyOf: null },
    actor,
  );
  return { outcome: 'published', version, difference };
}

export type Rollback = Readonly<{
  gameId: number;
  version: number;
  note: string;
  confirmPriceRaises?: boolean;
}>;

export type RollbackOutcome = PublishOutcome | Readonly<{ outcome: 'no_such_version' }>;

/** Publishes an old version again. A draft that is being edited stays as it is. */
export async function rollBackConfig(
  pool: Pool,
  { gameId, version: wanted, note, confirmPriceRaises = false }: Rollback,
  actor: Actor,
): Promise<RollbackOutcome> {
  return transaction(pool, async (client) => {
    const game = await lockGame(client, gameId);
    const old = wanted > 0 ? await findConfigVersion(client, gameId, wanted) : undefined;
    if (old === undefined) return { outcome: 'no_such_version' };
    const current = await requireConfigVersion(client, gameId, game.publishedVersion);
    const difference = documentDifference(current.document, old.document);
    if (difference.length === 0) return { outcome: 'unchanged', version: current.version };
    // It may have been published by an older version of this service, with other rules.
    const validation = validateDocument(old.document);
    if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
    const raises = confirmPriceRaises ? [] : priceRaises(current.document, old.document, actor.nowMs);
    if (raises.length > 0) return { outcome: 'price_raise', raises };
    const version = await insertVersion(client, game, current, old.document, { note, copyOf: wanted }, actor);
    return { outcome: 'published', version, difference };
  });
}

async function insertVersion(
  client: Client,
  { gameId, tenantId }: LockedGame,
  current: ConfigVersion,
  document: ConfigDocument,
  { note, copyOf }: { note: string; copyOf: number | null },
  actor: Actor,
): Promise<number> {
  const version = await insertNextConfigVersion(client, {
    gameId,
    document,
    segmentVersions: nextSegmentVersions(current, document),
    author: actor.name,
    note,
    publishedAt: actor.nowMs,
    copyOf,
  });
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action: copyOf === null ? 'config.publish' : 'config.roll_back',
    target: `version ${version}`,
    before: { version: current.version },
    after: { version, note, copyOf, difference: documentDifference(current.document, document) },
  });
  return version;
}
