import {
  type ConfigVersion,
  findConfigVersion,
  insertNextConfigVersion,
  type LockedGame,
  lockGame,
  requireConfigVersion,
} from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import {
  type ExperimentChange,
  experimentChanges,
  listExposedChanges,
  listFormerRuns,
} from '../../core/configs/experiment-changes.js';
import { exposureSegmentSteps } from '../../decide/compile/exposure-segments.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { DocumentProblem } from '../../decide/validate/document-problems.js';
import { validationSteps } from '../../decide/validate/validate-document.js';
import { type Actor, emailOf, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { type BuildInUse, listBuildsInUse } from './build-queries.js';
import { type DocumentChange, differenceSteps } from './document-difference.js';
import { updatePublishedDraft } from './draft-queries.js';
import { publishOwnAttributes } from './own-attribute-sets.js';
import { type PriceRaise, priceRaiseSteps } from './price-raises.js';
import { nextSegmentVersions } from './segment-versions.js';
import { type ValueLoss, valueLosses } from './value-losses.js';

/** What its author knows of and wants all the same. */
export type Confirmations = Readonly<{
  /** Prices inside of running offers may go up. */
  confirmPriceRaises?: boolean;
  /** Builds in use may ask for values that are taken away, or whose types are narrowed. */
  confirmLostValues?: boolean;
}>;

export type PublishRequest = Confirmations &
  Readonly<{
    gameId: number;
    document: unknown;
    note: string;
    /** The version that its author has seen; by default the one in force. */
    basedOn?: number;
  }>;

export type PublishOutcome =
  | Readonly<{ outcome: 'published'; version: number; difference: readonly DocumentChange[] }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'unchanged'; version: number }>
  | Readonly<{ outcome: 'price_raise'; raises: readonly PriceRaise[] }>
  | Readonly<{ outcome: 'values_in_use'; values: readonly ValueLoss[]; builds: readonly BuildInUse[] }>
  | Readonly<{ outcome: 'experiments_exposed'; experiments: readonly ExperimentChange[] }>
  /** `basedOn` names a version that does not exist. */
  | Readonly<{ outcome: 'unknown_base' }>
  /** Another version was published after the author had looked; `difference` is what it changed. */
  | Readonly<{ outcome: 'conflict'; version: number; author: string; difference: readonly DocumentChange[] }>;

/** Publishes a document as the game's next version, or says why not, with nothing changed. */
export async function publishConfig(
  pool: Pool,
  { gameId, document, ...terms }: PublishRequest,
  actor: Actor,
): Promise<PublishOutcome> {
  return publishChecked(pool, gameId, document, { ...terms, copyOf: null, isDraft: false }, actor);
}

export type Rollback = Confirmations &
  Readonly<{
    gameId: number;
    version: number;
    note: string;
    /** The version that was in force when its author decided; by default the one in force now. */
    basedOn?: number;
  }>;

export type RollbackOutcome = PublishOutcome | Readonly<{ outcome: 'no_such_version' }>;

/** Publishes an old version again. A draft that is being edited stays as it is. */
export async function rollBackConfig(
  pool: Pool,
  { gameId, version, ...terms }: Rollback,
  actor: Actor,
): Promise<RollbackOutcome> {
  const old = await findConfigVersion(pool, gameId, version);
  if (old === undefined) return { outcome: 'no_such_version' };
  // Checked like any other: it may have been published by an older version of this service, with other rules.
  return publishChecked(pool, gameId, old.document, { ...terms, copyOf: version, isDraft: false }, actor);
}

type Terms = Confirmations &
  Readonly<{
    note: string;
    /** By default the version in force. */
    basedOn?: number | undefined;
    /** The old version that is published again, if this is a roll-back. */
    copyOf: number | null;
    /** The document is the draft, which has no changes of its own afterwards. */
    isDraft: boolean;
  }>;

async function publishChecked(
  pool: Pool,
  gameId: number,
  candidate: unknown,
  terms: Terms,
  actor: Actor,
): Promise<PublishOutcome> {
  // Before the game is locked: checking a large document takes a while, and other editors would wait for it.
  const validation = await documentWork.run(gameId, validationSteps(candidate));
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  const { document } = validation;
  return transaction(pool, async (client) =>
    publishWithin(client, await lockGame(client, gameId), { document, ...terms }, actor),
  );
}

/** In the transaction of the caller, who has checked the document and locked the game. */
export async function publishWithin(
  client: Client,
  game: LockedGame,
  {
    document,
    note,
    confirmPriceRaises = false,
    confirmLostValues = false,
    basedOn = game.publishedVersion,
    copyOf,
    isDraft,
  }: Terms & { document: ConfigDocument },
  actor: Actor,
): Promise<PublishOutcome> {
  const { gameId, publishedVersion } = game;
  if (basedOn > publishedVersion) return { outcome: 'unknown_base' };
  const current = await requireConfigVersion(client, gameId, publishedVersion);
  if (basedOn !== publishedVersion) {
    const seen = await requireConfigVersion(client, gameId, basedOn);
    return {
      outcome: 'conflict',
      version: current.version,
      author: current.author,
      difference: await documentWork.run(gameId, differenceSteps(seen.document, current.document)),
    };
  }
  const difference = await documentWork.run(gameId, differenceSteps(current.document, document));
  // What every game begins with can be published too, to have it as a version of the studio's own.
  const isFirst = current.version === 0 && copyOf === null;
  if (difference.length === 0 && !isFirst) return { outcome: 'unchanged', version: current.version };
  const formerRuns = await listFormerRuns(client, gameId, current.document, document);
  const changed = experimentChanges(current.document, document, formerRuns);
  const experiments = await listExposedChanges(client, gameId, document, changed);
  if (experiments.length > 0) return { outcome: 'experiments_exposed', experiments };
  const raises = confirmPriceRaises
    ? []
    : await documentWork.run(
        gameId,
        priceRaiseSteps(current.document, document, actor.nowMs, changedPaths(difference)),
      );
  if (raises.length > 0) return { outcome: 'price_raise', raises };
  const losses = confirmLostValues ? [] : valueLosses(current.document, document);
  const builds = losses.length === 0 ? [] : await listBuildsInUse(client, gameId, actor.nowMs);
  if (builds.length > 0) return { outcome: 'values_in_use', values: losses, builds };
  const version = await insertVersion(
    client,
    game,
    current,
    { document, difference, note, copyOf, isDraft },
    actor,
  );
  return { outcome: 'published', version, difference };
}

function changedPaths(difference: readonly DocumentChange[]): Set<string> {
  return new Set(difference.map(({ path }) => path));
}

type NextVersion = Pick<Terms, 'note' | 'copyOf' | 'isDraft'> &
  Readonly<{ document: ConfigDocument; difference: readonly DocumentChange[] }>;

async function insertVersion(
  client: Client,
  { gameId, tenantId }: LockedGame,
  current: ConfigVersion,
  { document, difference, note, copyOf, isDraft }: NextVersion,
  actor: Actor,
): Promise<number> {
  const version = await insertNextConfigVersion(client, {
    gameId,
    document,
    segmentVersions: nextSegmentVersions(current, document),
    exposureSegments: await documentWork.run(gameId, exposureSegmentSteps(document)),
    author: actor.name,
    authorEmail: emailOf(actor),
    note,
    publishedAt: actor.nowMs,
    copyOf,
  });
  await publishOwnAttributes(client, gameId, document, actor.nowMs);
  await updatePublishedDraft(client, { gameId, isDraft }, actor);
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action: copyOf === null ? 'config.publish' : 'config.roll_back',
    target: `version ${version}`,
    before: { version: current.version },
    after: { version, note, copyOf, difference },
  });
  return version;
}
