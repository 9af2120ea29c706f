import { Command, Option } from 'commander';
import { findConfigVersion } from '../../core/configs/config-queries.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { findDraft } from '../configs/draft.js';
import { CODE_LANGUAGES, type CodeLanguage, valueCode } from '../configs/value-code/value-code.js';

type TypesOptions = { tenant: string; game: string; language: CodeLanguage; draft: boolean };

const HELP = `
Write the file with each build of the game, and keep it with the sources:

  savepoint config types --tenant my-studio --game my-game --language ts > src/game-values.ts

A key that is misspelt, or that was taken away, does not compile. docs/values.md shows how games use it.`;

export function configTypesCommand(): Command {
  return withGame(new Command('types'))
    .description('print typed accessors of the values of a game, as source code')
    .addOption(
      new Option('--language <language>', 'of the game').choices(CODE_LANGUAGES).makeOptionMandatory(),
    )
    .option('--draft', 'of the draft, as it is now (default: of the version in force)', false)
    .addHelpText('after', HELP)
    .action(printTypes);
}

async function printTypes({ tenant, game, language, draft }: TypesOptions): Promise<void> {
  await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    const found = draft ? await findDraft(pool, id) : await findConfigVersion(pool, id, publishedVersion);
    const values = found?.document.values ?? [];
    const what = draft ? 'the draft' : `version ${publishedVersion}`;
    say(valueCode(language, values, `${what} of ${tenant}/${game}`).trimEnd());
  });
}
