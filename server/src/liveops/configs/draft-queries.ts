import type { ConfigDocument } from '../../decide/document/document.js';
import { type Actor, emailOf } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

export type DraftRow = {
  publishedVersion: number;
  revision: number;
  /** Null together with `document`: the draft has no changes. */
  basedOn: number | null;
  document: ConfigDocument | null;
  updatedBy: string | null;
  updatedByEmail: string | null;
  updatedAt: number | null;
};

/**
 * A draft and the version in force, read in one statement. Read one after the other, a publication in between would pair the
 * old document with the new revision.
 */
export async function findDraftRow(db: Pool | Client, gameId: number): Promise<DraftRow | undefined> {
  const rows = await query<DraftRow>(
    db,
    {
      name: 'find_draft_row',
      text: `select g.published_version as "publishedVersion", coalesce(d.revision, 0) as revision,
               d.based_on as "basedOn", d.document, d.updated_by as "updatedBy",
               d.updated_by_email as "updatedByEmail", d.updated_at as "updatedAt"
             from games g left join config_drafts d on d.game_id = g.id
             where g.id = $1`,
    },
    [gameId],
  );
  return rows[0];
}

/** 0 for a game whose draft was never changed. */
export async function findDraftRevision(client: Client, gameId: number): Promise<number> {
  const { rows } = await client.query<{ revision: number }>(
    'select revision from config_drafts where game_id = $1',
    [gameId],
  );
  return rows[0]?.revision ?? 0;
}

export type NewDraft = Readonly<{
  gameId: number;
  revision: number;
  /** Null for a draft that is what is published. */
  content: Readonly<{ document: ConfigDocument; basedOn: number }> | null;
}>;

/** The caller has locked the game. */
export async function upsertDraft(
  client: Client,
  { gameId, revision, content }: NewDraft,
  actor: Actor,
): Promise<void> {
  await client.query(
    `insert into config_drafts (game_id, revision, based_on, document, updated_by, updated_by_email, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (game_id) do update
     set revision = excluded.revision, based_on = excluded.based_on, document = excluded.document,
       updated_by = excluded.updated_by, updated_by_email = excluded.updated_by_email, updated_at = excluded.updated_at`,
    [
      gameId,
      revision,
      content?.basedOn ?? null,
      content === null ? null : JSON.stringify(content.document),
      actor.name,
      emailOf(actor),
      new Date(actor.nowMs),
    ],
  );
}

/**
 * What becomes of the draft when a version is published. A draft without changes shows the published version, so a publication
 * counts as a change of it: an editor who has read the draft before cannot save over what was published. So does the publication of
 * the draft itself, which then has no changes any more. Any other edited draft keeps its revision, and the conflict is reported when
 * it is published.
 */
export async function updatePublishedDraft(
  client: Client,
  { gameId, isDraft }: { gameId: number; isDraft: boolean },
  actor: Actor,
): Promise<void> {
  await client.query(
    `insert into config_drafts as d (game_id, revision, updated_by, updated_by_email, updated_at)
     values ($1, 1, $2, $3, $4)
     on conflict (game_id) do update
     set revision = d.revision + 1, based_on = null, document = null, updated_by = excluded.updated_by,
       updated_by_email = excluded.updated_by_email, updated_at = excluded.updated_at
     where d.document is null or $5`,
    [gameId, actor.name, emailOf(actor), new Date(actor.nowMs), isDraft],
  );
}
