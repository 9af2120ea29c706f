import { Command } from 'commander';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable } from '../../studio/cli/printable.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { findOwnAttributes, type OwnAttributesState } from '../own-attributes/own-attributes.js';

export function ownAttributesCommand(): Command {
  return withGame(new Command('own-attributes'))
    .description(
      'list the attributes that a game defines itself, and how far they are worked out for the past',
    )
    .action(printOwnAttributes);
}

async function printOwnAttributes({ tenant, game }: { tenant: string; game: string }): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    for (const line of linesOf(await findOwnAttributes(pool, id))) say(line);
  });
}

function linesOf({ attributes, bytes, maxBytes, state, players, playersDone }: OwnAttributesState): string[] {
  if (attributes.length === 0) return ['The game defines no attributes of its own.'];
  const rows = attributes.map(({ attributeId, fold, member, eventType, type, bytes: size }) => [
    `own.${attributeId}`,
    `${fold} of ${printable(member === null ? eventType : `${member} of ${eventType}`)}`,
    type,
    `${size} bytes`,
  ]);
  const done =
    state === 'ready'
      ? 'They are worked out for all players.'
      : `They are worked out for ${playersDone} of ${players ?? 'all'} players. Rules that need them do not match for the others.`;
  return [...tableLines(rows, () => false), '', `${bytes} of ${maxBytes} bytes a player. ${done}`];
}
