import { type Client, type Pool, transaction } from '../../db/pool.js';
import { type Actor, insertAuditEntry } from '../audit/audit-log.js';
import type { ConfigDocument } from '../personalisation/document.js';
import type { DocumentProblem } from '../personalisation/document-problems.js';
import { validateDocument } from '../personalisation/validate-document.js';
import { type LockedGame, lockGame, requireConfigVersion } from './config-queries.js';
import { type DocumentChange, documentDifference } from './document-difference.js';
import { type PublishOutcome, publishWithin } from './publish.js';

/**
 * The next configuration of a game while it is edited.
 *
 *   as published ──save──► edited ──save──► edited ──publish──► as published
 *                             └──────────discard───────────────────┘
 *
 * Every change counts `revision` up. Who saves says which revision they saw: of two editors the second is told, and shown
 * what the first did, instead of wiping it out.
 */
export type Draft = Readonly<{
  revision: number;
  /** The published version it began with. */
  basedOn: number;
  document: ConfigDocument;
  isEdited: boolean;
  updatedBy: string | null;
  updatedAt: number | null;
}>;

type DraftRow = {
  revision: number;
  basedOn: number | null;
  document: ConfigDocument | null;
  updatedBy: string;
  updatedAt: number;
};

export type DraftConflict = Readonly<{
  outcome: 'draft_conflict';
  revision: number;
  updatedBy: string | null;
  /** From what the draft is now to what was sent. */
  difference: readonly DocumentChange[];
}>;

export async function findDraft(pool: Pool, gameId: number): Promise<Draft> {
  const { rows } = await pool.query<{ publishedVersion: number }>(
    'select published_version as "publishedVersion" from games where id = $1',
    [gameId],
  );
  const [game] = rows;
  if (game === undefined) throw new Error(`there is no game ${gameId}`);
  return readDraft(pool, gameId, game.publishedVersion);
}

async function readDraft(db: Pool | Client, gameId: number, publishedVersion: number): Promise<Draft> {
  const { rows } = await db.query<DraftRow>(
    `select revision, based_on as "basedOn", document, updated_by as "updatedBy", updated_at as "updatedAt"
     from config_drafts where game_id = $1`,
    [gameId],
  );
  const [row] = rows;
  const known = {
    revision: row?.revision ?? 0,
    updatedBy: row?.updatedBy ?? null,
    updatedAt: row?.updatedAt ?? null,
  };
  if (row !== undefined && row.document !== null && row.basedOn !== null) {
    return { ...known, basedOn: row.basedOn, document: row.document, isEdited: true };
  }
  const { document } = await requireConfigVersion(db, gameId, publishedVersion);
  return { ...known, basedOn: publishedVersion, document, isEdited: false };
}

export type DraftSave = Readonly<{
  gameId: number;
  /** The revision that the editor saw. */
  revision: number;
  document: unknown;
  /** A later published version that the editor has taken into account. */
  basedOn?: number;
}>;

export type SaveOutcome =
  | Readonly<{ outcome: 'saved'; draft: Draft }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'no_such_version' }>
  | DraftConflict;

export async function saveDraft(pool: Pool, save: DraftSave, actor: Actor): Promise<SaveOutcome> {
  return transaction(pool, async (client) => {
    const game = await lockGame(client, save.gameId);
    const draft = await readDraft(client, game.gameId, game.publishedVersion);
    const validation = validateDocument(save.document);
    if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
    if (draft.revision !== save.revision) return conflict(draft, validation.document);
    const basedOn = save.basedOn ?? draft.basedOn;
    if (basedOn < draft.basedOn || basedOn > game.publishedVersion) return { outcome: 'no_such_version' };
    const difference = documentDifference(draft.document, validation.document);
    await writeDraft(client, game, draft, { document: validation.document, basedOn }, actor);
    await insertAuditEntry(client, actor, {
      tenantId: game.tenantId,
      gameId: game.gameId,
      action: 'draft.save',
      target: `draft ${draft.revision + 1}`,
      before: { revision: draft.revision },
      after: { revision: draft.revision + 1, basedOn, difference },
    });
    return { outcome: 'saved', draft: await readDraft(client, game.gameId, game.publishedVersion) };
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
    const game = await lockGame(client, gameId);
    const draft = await readDraft(client, gameId, game.publishedVersion);
    const published = await requireConfigVersion(client, gameId, game.publishedVersion);
    if (draft.revision !== revision) return conflict(draft, published.document);
    if (draft.isEdited) {
      await writeDraft(client, game, draft, null, actor);
      await insertAuditEntry(client, actor, {
        tenantId: game.tenantId,
        gameId,
        action: 'draft.discard',
        target: `draft ${draft.revision + 1}`,
        before: { revision, difference: documentDifference(published.document, draft.document) },
        after: { revision: revision + 1 },
      });
    }
    return { outcome: 'discarded', draft: await readDraft(client, gameId, game.publishedVersion) };
  });
}

export type DraftPublication = Readonly<{
  gameId: number;
  revision: number;
  note: string;
  confirmPriceRaises?: boolean;
}>;

export async function publishDraft(
  pool: Pool,
  { gameId, revision, note, confirmPriceRaises = false }: DraftPublication,
  actor: Actor,
): Promise<PublishOutcome | DraftConflict> {
  return transaction(pool, async (client) => {
    const game = await lockGame(client, gameId);
    const draft = await readDraft(client, gameId, game.publishedVersion);
    if (draft.revision !== revision) return conflict(draft, draft.document);
    const { document, basedOn } = draft;
    const published = await publishWithin(
      client,
      game,
      { gameId, document, note, confirmPriceRaises, basedOn },
      actor,
    );
    if (published.outcome === 'published') await writeDraft(client, game, draft, null, actor);
    return published;
  });
}

function conflict({ revision, updatedBy, document }: Draft, sent: ConfigDocument): DraftConflict {
  return { outcome: 'draft_conflict', revision, updatedBy, difference: documentDifference(document, sent) };
}

async function writeDraft(
  client: Client,
  { gameId }: LockedGame,
  { revision }: Draft,
  content: { document: ConfigDocument; basedOn: number } | null,
  actor: Actor,
): Promise<void> {
  await client.query(
    `insert into config_drafts (game_id, revision, based_on, document, updated_by, updated_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (game_id) do update
     set revision = excluded.revision, based_on = excluded.based_on, document = excluded.document,
       updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
    [
      gameId,
      revision + 1,
      content?.basedOn ?? null,
      content === null ? null : JSON.stringify(content.document),
      actor.name,
      new Date(actor.nowMs),
    ],
  );
}
