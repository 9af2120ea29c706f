import { Command } from 'commander';
import { isoTime } from '../../platform/lib/iso-time.js';
import { MAX_ROW_ID, ROW_ID } from '../../platform/lib/row-id.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { UUID } from '../../platform/lib/uuid.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { noSuchPlayer, requirePlayer } from '../../studio/cli/player-of-game.js';
import { printable } from '../../studio/cli/printable.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { listNotes } from '../players/note-queries.js';
import { addNote, MAX_NOTE, type NoteOutcome, removeNote } from '../players/notes.js';

type GameOptions = { tenant: string; game: string };

const MAX_SHOWN = 100;

export function noteCommands(): Command {
  const note = new Command('note').description('notes of the studio on single players');
  withGame(note.command('list <player-id>')).description('the notes on a player, newest first').action(list);
  withGame(note.command('add <player-id>'))
    .description('write a note on a player')
    .requiredOption('--text <text>', 'what is to be known')
    .action(add);
  withGame(note.command('delete <player-id> <note-id>'))
    .description('delete a note, whoever wrote it')
    .action(remove);
  return note;
}

async function list(playerId: string, options: GameOptions): Promise<void> {
  const notes = await withDatabase(async ({ pool }) =>
    listNotes(pool, await requirePlayer(pool, playerId, options), MAX_ROW_ID, MAX_SHOWN),
  );
  if (notes.length === 0) say('There is no note on this player.');
  for (const { id, author, createdAt, editedAt, text } of notes) {
    const edited = editedAt === null ? '' : `, edited ${isoTime(editedAt)}`;
    say(`${id}  ${isoTime(createdAt)} by ${printable(author)}${edited}\n    ${printable(text)}`);
  }
  if (notes.length === MAX_SHOWN)
    say(`Only ${MAX_SHOWN} are shown. The console shows all of them, on the page of the player.`);
}

async function add(playerId: string, options: GameOptions & { text: string }): Promise<void> {
  const text = options.text.trim();
  if (text === '' || text.length > MAX_NOTE)
    throw new StartupError(`--text must have 1 to ${MAX_NOTE} characters.`);
  await withDatabase(async ({ pool }) => {
    const place = await placeOf(pool, playerId, options);
    const added = await addNote(pool, place, text, await commandActor(pool));
    say(`Note ${idOf(added, playerId, options)} was written.`);
  });
}

async function remove(playerId: string, noteId: string, options: GameOptions): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const place = await placeOf(pool, playerId, options);
    if (!ROW_ID.test(noteId)) throw noSuchNote(noteId);
    const removed = await removeNote(pool, { ...place, noteId }, await commandActor(pool), true);
    if (removed.outcome === 'no_such_note') throw noSuchNote(noteId);
    say(`Note ${idOf(removed, playerId, options)} is deleted.`);
  });
}

async function placeOf(
  pool: Parameters<typeof requireGame>[0],
  userId: string,
  options: GameOptions,
): Promise<{ gameId: number; userId: string }> {
  const { id: gameId } = await requireGame(pool, options.tenant, options.game);
  if (!UUID.test(userId)) throw noSuchPlayer(userId, options);
  return { gameId, userId };
}

function idOf(changed: NoteOutcome, playerId: string, options: GameOptions): string {
  if (changed.outcome !== 'done') throw noSuchPlayer(playerId, options);
  return changed.note.id;
}

function noSuchNote(noteId: string): StartupError {
  return new StartupError(
    `The player has no note "${printable(noteId)}". \`savepoint note list\` shows their numbers.`,
  );
}
