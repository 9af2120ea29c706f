import type { Actor } from '../../platform/admin-api/audit-log.js';
import { emailOf } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** What somebody of the studio has written down about a player. */
export type NoteRow = {
  id: string;
  text: string;
  author: string;
  authorEmail: string | null;
  /** The person or the token that wrote it; both are null for a command. */
  authorAccount: string | null;
  authorToken: string | null;
  createdAt: number;
  editedAt: number | null;
};

const NOTE_COLUMNS = `id, text, author, author_email as "authorEmail", author_account as "authorAccount", author_token as "authorToken",
  created_at as "createdAt", edited_at as "editedAt"`;

/** The notes about a player before an id, newest first. */
export async function listNotes(
  pool: Pool,
  playerId: string,
  beforeId: string,
  limit: number,
): Promise<NoteRow[]> {
  return query<NoteRow>(
    pool,
    {
      name: 'list_notes',
      text: `select ${NOTE_COLUMNS} from player_notes
             where player_id = $1 and id < $2
             order by id desc
             limit $3`,
    },
    [playerId, beforeId, limit],
  );
}

export async function insertNote(
  client: Client,
  playerId: string,
  text: string,
  actor: Actor,
): Promise<NoteRow> {
  const { rows } = await client.query<NoteRow>(
    `insert into player_notes (player_id, text, author, author_email, author_account, author_token, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning ${NOTE_COLUMNS}`,
    [
      ...[playerId, text, actor.name, emailOf(actor)],
      ...[actor.account?.accountId ?? null, actor.tokenId ?? null, new Date(actor.nowMs)],
    ],
  );
  const [note] = rows;
  if (note === undefined) throw new Error('an insert returned nothing');
  return note;
}

/** Locked until the end of the transaction. */
export async function lockNote(client: Client, playerId: string, id: string): Promise<NoteRow | undefined> {
  const { rows } = await client.query<NoteRow>(
    `select ${NOTE_COLUMNS} from player_notes where player_id = $1 and id = $2 for update`,
    [playerId, id],
  );
  return rows[0];
}

export async function updateNote(
  client: Client,
  playerId: string,
  id: string,
  text: string,
  nowMs: number,
): Promise<void> {
  await client.query('update player_notes set text = $3, edited_at = $4 where player_id = $1 and id = $2', [
    playerId,
    id,
    text,
    new Date(nowMs),
  ]);
}

export async function deleteNote(client: Client, playerId: string, id: string): Promise<void> {
  await client.query('delete from player_notes where player_id = $1 and id = $2', [playerId, id]);
}
