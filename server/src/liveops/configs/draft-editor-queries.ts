import { type Pool, query } from '../../platform/db/pool.js';

/** A window in which an editor has the draft open. */
export type DraftEditor = {
  windowId: string;
  name: string;
  email: string;
  openedAt: number;
  /** When the last change was made that is not saved. */
  changedAt: number | null;
};

export type DraftWindow = Readonly<{ gameId: number; accountId: string; windowId: string }>;

/** Windows of one person with the same draft. More are not recorded; each of them is told of the others all the same. */
const MAX_WINDOWS = 20;

export async function upsertDraftEditor(
  pool: Pool,
  { gameId, accountId, windowId }: DraftWindow,
  { nowMs, changedAt, expiresAt }: { nowMs: number; changedAt: number | null; expiresAt: number },
): Promise<void> {
  await query(
    pool,
    {
      name: 'upsert_draft_editor',
      text: `insert into draft_editors (game_id, account_id, window_id, opened_at, changed_at, expires_at)
             select $1, $2, $3, $4, $5, $6
             where $7 > (
               select count(*) from draft_editors
               where game_id = $1 and account_id = $2 and window_id <> $3 and expires_at > $4
             )
             on conflict (game_id, account_id, window_id) do update
             set changed_at = excluded.changed_at, expires_at = excluded.expires_at`,
    },
    [
      ...[gameId, accountId, windowId, new Date(nowMs)],
      ...[changedAt === null ? null : new Date(changedAt), new Date(expiresAt), MAX_WINDOWS],
    ],
  );
}

export async function deleteDraftEditor(
  pool: Pool,
  { gameId, accountId, windowId }: DraftWindow,
): Promise<void> {
  await query(
    pool,
    {
      name: 'delete_draft_editor',
      text: 'delete from draft_editors where game_id = $1 and account_id = $2 and window_id = $3',
    },
    [gameId, accountId, windowId],
  );
}

/** More editors at a time would not be read by anyone. */
const MAX_EDITORS = 50;

/** Members who may edit, and have the draft open now. Those who were removed from the studio are not shown. */
export async function listDraftEditors(
  pool: Pool,
  { gameId, tenantId }: { gameId: number; tenantId: number },
  nowMs: number,
): Promise<DraftEditor[]> {
  return query<DraftEditor>(
    pool,
    {
      name: 'list_draft_editors',
      text: `select e.window_id as "windowId", a.name, a.email, e.opened_at as "openedAt", e.changed_at as "changedAt"
             from draft_editors e
             join lateral (
               select from studio_members m
               where m.tenant_id = $2 and m.account_id = e.account_id and m.role <> 'viewer' offset 0
             ) m on true
             join lateral (select * from accounts a where a.id = e.account_id offset 0) a on true
             where e.game_id = $1 and e.expires_at > $3
             order by e.opened_at, e.window_id
             limit $4`,
    },
    [gameId, tenantId, new Date(nowMs), MAX_EDITORS],
  );
}

export type DraftState = {
  revision: number;
  isEdited: boolean;
  updatedBy: string | null;
  updatedByEmail: string | null;
  updatedAt: number | null;
};

/** Which revision the draft has, without its document: this is asked every few seconds. */
export async function findDraftState(pool: Pool, gameId: number): Promise<DraftState> {
  const rows = await query<DraftState>(
    pool,
    {
      name: 'find_draft_state',
      text: `select revision, document is not null as "isEdited", updated_by as "updatedBy",
               updated_by_email as "updatedByEmail", updated_at as "updatedAt"
             from config_drafts where game_id = $1`,
    },
    [gameId],
  );
  return rows[0] ?? { revision: 0, isEdited: false, updatedBy: null, updatedByEmail: null, updatedAt: null };
}
