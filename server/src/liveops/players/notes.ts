import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { deleteNote, insertNote, lockNote, type NoteRow, updateNote } from './note-queries.js';
import { type LockedPlayer, lockPlayer } from './override-queries.js';

export const MAX_NOTE = 4_000;

type NotedPlayer = Readonly<{ gameId: number; userId: string }>;
export type NotePlace = NotedPlayer & Readonly<{ noteId: string }>;

export type NoteOutcome =
  | Readonly<{ outcome: 'done'; note: NoteRow }>
  | Readonly<{ outcome: 'no_such_player' | 'no_such_note' | 'not_yours' }>;

/** Whether the actor wrote the note. Nobody is the author of a note that a command has added. */
export function isOwn({ authorAccount, authorToken }: NoteRow, { account, tokenId }: Actor): boolean {
  if (account !== undefined) return authorAccount === account.accountId;
  return tokenId !== undefined && authorToken === tokenId;
}

export async function addNote(
  pool: Pool,
  place: NotedPlayer,
  text: string,
  actor: Actor,
): Promise<NoteOutcome> {
  return transaction(pool, async (client) => {
    const player = await lockPlayer(client, place.gameId, place.userId);
    if (player === undefined) return { outcome: 'no_such_player' };
    const note = await insertNote(client, player.playerId, text, actor);
    await audit(client, { player, place, actor, note }, 'note.add', null, text);
    return { outcome: 'done', note };
  });
}

/** Only its author edits a note: the others read it under the author's name. */
export async function editNote(
  pool: Pool,
  place: NotePlace,
  text: string,
  actor: Actor,
): Promise<NoteOutcome> {
  return changeNote(pool, place, actor, async (client, change) => {
    const { player, note } = change;
    if (!isOwn(note, actor)) return { outcome: 'not_yours' };
    if (note.text === text) return { outcome: 'done', note };
    await updateNote(client, player.playerId, note.id, text, actor.nowMs);
    await audit(client, change, 'note.edit', note.text, text);
    return { outcome: 'done', note: { ...note, text, editedAt: actor.nowMs } };
  });
}

/** `mayDeleteAny`: an owner of the studio, or a command. */
export async function removeNote(
  pool: Pool,
  place: NotePlace,
  actor: Actor,
  mayDeleteAny: boolean,
): Promise<NoteOutcome> {
  return changeNote(pool, place, actor, async (client, change) => {
    const { player, note } = change;
    if (!mayDeleteAny && !isOwn(note, actor)) return { outcome: 'not_yours' };
    await deleteNote(client, player.playerId, note.id);
    await audit(client, change, 'note.delete', note.text, null);
    return { outcome: 'done', note };
  });
}

type Change = Readonly<{ player: LockedPlayer; place: NotedPlayer; actor: Actor; note: NoteRow }>;

async function changeNote(
  pool: Pool,
  place: NotePlace,
  actor: Actor,
  change: (client: Client, change: Change) => Promise<NoteOutcome>,
): Promise<NoteOutcome> {
  return transaction(pool, async (client) => {
    const player = await lockPlayer(client, place.gameId, place.userId);
    if (player === undefined) return { outcome: 'no_such_player' };
    const note = await lockNote(client, player.playerId, place.noteId);
    return note === undefined ? { outcome: 'no_such_note' } : change(client, { player, place, actor, note });
  });
}

async function audit(
  client: Client,
  { player, place, actor, note }: Change,
  action: 'note.add' | 'note.edit' | 'note.delete',
  before: string | null,
  after: string | null,
): Promise<void> {
  const { tenantId } = player;
  const { gameId, userId } = place;
  const { author } = note;
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action,
    target: `player ${userId} note ${note.id}`,
    before: before === null ? null : { author, text: before },
    after: after === null ? null : { author, text: after },
  });
}
