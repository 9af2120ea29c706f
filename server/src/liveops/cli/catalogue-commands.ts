import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { rowErrorLine } from '../../studio/cli/row-errors.js';
import { say, tell, withDatabase } from '../../studio/cli/terminal.js';
import { catalogueToCsv, readCatalogueCsv } from '../configs/catalogue/catalogue-csv.js';
import { catalogueToJson, readCatalogueJson } from '../configs/catalogue/catalogue-json.js';
import type { CatalogueReading } from '../configs/catalogue/catalogue-rows.js';
import { IMPORT_MODES, type ImportMode, importCatalogue } from '../configs/catalogue/import-catalogue.js';
import { findDraft } from '../configs/draft.js';

type Format = 'csv' | 'json';
type GameOptions = { tenant: string; game: string };
type ExportOptions = GameOptions & { format: Format; out?: string; published: boolean };
type ImportOptions = GameOptions & { file: string; format?: Format; mode: ImportMode; revision?: string };

const HELP = `
A row states its SKU as a whole. Export the catalogue, edit it, import it, and publish:

  savepoint catalogue export --tenant my-studio --game my-game --out catalogue.csv
  savepoint catalogue import --tenant my-studio --game my-game --file catalogue.csv --revision 12
  savepoint config dry-run --tenant my-studio --game my-game
  savepoint config publish --tenant my-studio --game my-game --draft

The export says which revision of the draft it is. With its number, the import takes nothing if somebody has changed the
draft since. With anything wrong in the file, nothing of it is taken. Columns of a CSV file: skuId, active, hidden, from, until,
defaultCurrency, name, description, assets (JSON), and as needed name:<locale>, description:<locale>, price:<currency>,
offerPrice:<currency>, floorPrice:<currency>. A text that a spreadsheet would take for a formula has an apostrophe before it.`;

const formats = () => new Option('--format <format>', 'of the file').choices(['csv', 'json']);

export function catalogueCommands(): Command {
  const catalogue = new Command('catalogue').description('the SKUs of a game as a file');
  withGame(catalogue.command('export'))
    .description("write the draft's catalogue to a file or to standard output")
    .addOption(formats().default('csv'))
    .option('--out <file>', 'where to (default: standard output)')
    .option('--published', 'the published catalogue instead', false)
    .addHelpText('after', HELP)
    .action(exportFile);
  withGame(catalogue.command('import'))
    .description("import a file into the draft's catalogue, all of it or nothing")
    .requiredOption('--file <path>', 'CSV or JSON')
    .addOption(formats())
    .addOption(
      new Option('--mode <mode>', 'merge: change and add SKUs; replace: the file is the whole catalogue')
        .choices(IMPORT_MODES)
        .default('merge'),
    )
    .option('--revision <number>', 'only if the draft is still at this revision: the one that you have seen')
    .addHelpText('after', HELP)
    .action(importFile);
  return catalogue;
}

async function exportFile({ tenant, game, format, out, published }: ExportOptions): Promise<void> {
  const { skus, origin } = await withDatabase(async ({ pool }) => {
    const { id, publishedVersion } = await requireGame(pool, tenant, game);
    if (published) {
      const { version, document } = await requireConfigVersion(pool, id, publishedVersion);
      return { skus: document.catalogue, origin: `version ${version}` };
    }
    const { revision, document } = await findDraft(pool, id);
    return { skus: document.catalogue, origin: `revision ${revision} of the draft` };
  });
  // Not on standard output, which may be the file.
  tell(`This is the catalogue of ${origin}.`);
  const text = format === 'csv' ? catalogueToCsv(skus) : catalogueToJson(skus);
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  await writeFile(out, text).catch((error: Error) => {
    throw new StartupError(`${out} cannot be written: ${error.message}`);
  });
  say(`Wrote ${skus.length} SKUs to ${out}.`);
}

async function importFile(options: ImportOptions): Promise<void> {
  const { tenant, game, file, format, mode } = options;
  const seen = options.revision === undefined ? {} : { revision: revisionNumber(options.revision) };
  const reading = await readingOf(file, format ?? formatOf(file));
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const actor = await commandActor(pool);
    const outcome = await importCatalogue(pool, { gameId, reading, mode, ...seen }, actor);
    switch (outcome.outcome) {
      case 'imported': {
        const { added, changed, removed, unchanged } = outcome.counts;
        if (!outcome.isChange) {
          return say(
            `The draft of ${tenant}/${game} already has the content of ${file}: nothing was changed.`,
          );
        }
        say(
          `The draft of ${tenant}/${game} was changed: ${added} added, ${changed} changed, ${removed} removed, ${unchanged} as they were.`,
        );
        say(`To publish it: savepoint config publish --tenant ${tenant} --game ${game} --draft`);
        return;
      }
      case 'invalid':
        throw new StartupError(
          `Nothing of ${file} was taken:\n${outcome.errors.map(rowErrorLine).join('\n')}`,
        );
      case 'draft_conflict':
        throw new StartupError(
          `Nothing of ${file} was taken: the draft is at revision ${outcome.revision} now, changed by ${outcome.updatedBy}. Export it again.`,
        );
    }
  });
}

function revisionNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new StartupError(`--revision is "${text}": give a number, such as 12.`);
}

function formatOf(file: string): Format {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.json$/i.test(file)) return 'json';
  throw new StartupError(`${file} ends neither in .csv nor in .json: say which it is with --format.`);
}

async function readingOf(file: string, format: Format): Promise<CatalogueReading> {
  const text = await readGivenFile(file);
  return format === 'csv' ? readCatalogueCsv(text) : readCatalogueJson(text);
}
