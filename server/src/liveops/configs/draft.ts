import { lockGame, requireConfigVersion } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { DocumentProblem } from '../../decide/validate/document-problems.js';
import { type Actor, emailOf, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { validateOnce } from './checked-documents.js';
import { type DocumentChange, differenceSteps } from './document-difference.js';
import { findDraftRevision, findDraftRow, upsertDraft } from './draft-queries.js';
import { type Confirmations, type PublishOutcome, publishWithin } from './publish.js';

/**
 * The next configuration of a game while it is edited.
 *
 *   as published ──save──► edited ──save──► edited ──publish──► as published
 *                             └──────────discard───────────────────┘
 *
 * Every change increments `revision`, also a publication while the draft has no changes of its own; a save that changes nothing
 * does not. Each save names the revision that the editor has seen: of two editors the second gets a conflict that shows the
 * changes of the first, and overwrites nothing.
 */
export type Draft = Readonly<{
  revision: number;
  /** The published version it began with. */
  basedOn: number;
  /** The one in force. */
  publishedVersion: number;
  document: ConfigDocument;
  isEdited: boolean;
  updatedBy: string | null;
  updatedByEmail: string | null;
  updatedAt: number | null;
}>;

export type DraftConflict = Readonly<{
  outcome: 'draft_conflict';
  revision: number;
  updatedBy: string | null;
  updatedByEmail: string | null;
  /**
   * The difference between the draft and the document that was sent; without a document, what publishing the draft would
   * change now.
   */
  difference: readonly DocumentChange[];
}>;

export async function findDraft(db: Pool | Client, gameId: number): Promise<Draft> {
  const row = await findDraftRow(db, gameId);
  if (row === undefined) throw new Error(`there is no game ${gameId}`);
  const { publishedVersion, basedOn, document, ...known } = row;
  if (document !== null && basedOn !== null) {
    return { ...known, publishedVersion, basedOn, document, isEdited: true };
  }
  const published = await requireConfigVersion(db, gameId, publishedVersion);
  return {
    ...known,
    publishedVersion,
    basedOn: publishedVersion,
    document: published.document,
    isEdited: false,
  };
}

export type DraftSave = Readonly<{
  gameId: number;
  /** The revision that the editor saw. */
  revision: number;
  document: unknown;
  /** A later published version that the editor has merged into the draft. */
  basedOn?: number;
}>;

export type SaveOutcome =
  /** `isChange`: false where the draft was so already, and stays at its revision. */
  | Readonly<{ outcome: 'saved'; draft: Draft; isChange: boolean }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'no_such_version' }>
  | DraftConflict;

export async function saveDraft(pool: Pool, save: DraftSave, actor: Actor): Promise<SaveOutcome> {
  // Before the game is locked: checking a large document takes a while, and other editors would wait for it.
  const validation = await validateOnce(save.gameId, save.document);
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  const { document } = validation;
  return transaction(pool, async (client) => {
    const { gameId, tenantId, publishedVersion } = await lockGame(client, save.gameId);
    const draft = await findDraft(client, gameId);
    const difference = await documentWork.run(gameId, differenceSteps(draft.document, document));
    if (draft.revision !== save.revision) return conflict(draft, difference);
    const basedOn = save.basedOn ?? draft.basedOn;
    if (basedOn < draft.basedOn || basedOn > publishedVersion) return { outcome: 'no_such_version' };
    if (difference.length === 0 && basedOn === draft.basedOn) {
      return { outcome: 'saved', draft, isChange: false };
    }
    const revision = draft.revision + 1;
    await upsertDraft(client, { gameId, revision, content: { document, basedOn } }, actor);
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId,
      action: 'draft.save',
      target: `draft ${revision}`,
      before: { revision: draft.revision },
      after: { revision, basedOn, difference },
    });
    const saved = {
      revision,
      basedOn,
      publishedVersion,
      document,
      isEdited: true,
      updatedBy: actor.name,
      updatedByEmail: emailOf(actor),
      updatedAt: actor.nowMs,
    };
    return { outcome: 'saved', draft: saved, isChange: true };
  });
}

export type DiscardOutcome = Readonly<{ outcome: 'discarded'; draft: Draft }> | DraftConflict;

/** Back to what is published. */
export async function discardDraft(
  pool: Pool,
  { gameId, revision }: { gameId: number; revision: number },
  actor: Actor,
): Promise<DiscardOutcome> {
  return transaction(pool, async (client) => {
    const { tenantId, publishedVersion } = await lockGame(client, gameId);
    const draft = await findDraft(client, gameId);
    const published = await requireConfigVersion(client, gameId, publishedVersion);
    const differenceOf = (before: ConfigDocument, after: ConfigDocument) =>
      documentWork.run(gameId, differenceSteps(before, after));
    if (draft.revision !== revision) {
      return conflict(draft, await differenceOf(draft.document, published.document));
    }
    if (draft.isEdited) {
      await upsertDraft(client, { gameId, revision: revision + 1, content: null }, actor);
      await insertAuditEntry(client, actor, {
        tenantId,
        gameId,
        action: 'draft.discard',
        target: `draft ${revision + 1}`,
        before: { revision, difference: await differenceOf(published.document, draft.document) },
        after: { revision: revision + 1 },
      });
    }
    return { outcome: 'discarded', draft: await findDraft(client, gameId) };
  });
}

export type DraftPublication = Confirmations &
  Readonly<{
    gameId: number;
    revision: number;
    note: string;
  }>;

export async function publishDraft(
  pool: Pool,
  { gameId, revision, ...confirmed }: DraftPublication,
  actor: Actor,
): Promise<PublishOutcome | DraftConflict> {
  const seen = await findDraft(pool, gameId);
  if (seen.revision !== revision) return publishConflict(pool, gameId, seen);
  const validation = await validateOnce(gameId, seen.document);
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  return transaction(pool, async (client) => {
    const game = await lockGame(client, gameId);
    // The same revision is the same document, which is checked already.
    if ((await findDraftRevision(client, gameId)) !== revision) {
      return publishConflict(client, gameId, await findDraft(client, gameId));
    }
    const { document, basedOn } = seen;
    const terms = { ...confirmed, document, basedOn, copyOf: null, isDraft: true };
    return publishWithin(client, game, terms, actor);
  });
}

function conflict(
  { revision, updatedBy, updatedByEmail }: Draft,
  difference: readonly DocumentChange[],
): DraftConflict {
  return { outcome: 'draft_conflict', revision, updatedBy, updatedByEmail, difference };
}

/** Nothing was sent to compare the draft with, so the response says what publishing it would change now. */
async function publishConflict(db: Pool | Client, gameId: number, draft: Draft): Promise<DraftConflict> {
  const published = await requireConfigVersion(db, gameId, draft.publishedVersion);
  return conflict(draft, await documentWork.run(gameId, differenceSteps(published.document, draft.document)));
}
