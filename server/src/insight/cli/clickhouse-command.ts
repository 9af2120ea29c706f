import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { clickHouseStatements, loadedQuery, parseLoaded } from '../event-files/clickhouse.js';
import { listFiles } from '../event-files/stored-files.js';
import { requireEventFiles } from './event-files-place.js';

const TABLE = /^[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99})?$/;

type Options = { tenant: string; game: string; table: string; loaded?: string; query?: true };

const HELP = `
The first time. Without --loaded every day is loaded, and hidden until it is:
  savepoint event-files clickhouse --tenant demo-studio --game demo-game | clickhouse-client --multiquery
From then on, as often as you like, one at a time. A file that is there is not loaded again:
  query=$(savepoint event-files clickhouse --tenant demo-studio --game demo-game --query) &&
    clickhouse-client --query "$query" > loaded.new && mv loaded.new loaded.tsv &&
    savepoint event-files clickhouse --tenant demo-studio --game demo-game --loaded loaded.tsv | clickhouse-client --multiquery`;

export function clickHouseCommand(): Command {
  return withGame(new Command('clickhouse'))
    .description('print the statements that load the files into ClickHouse, each once')
    .option('--table <name>', 'of the view; one for each game', 'savepoint_events')
    .option('--loaded <file>', 'what ClickHouse has, as the query of --query tells; - for standard input')
    .option('--query', 'print that query instead')
    .addHelpText('after', HELP)
    .action(run);
}

async function run({ tenant, game, table, loaded, query }: Options): Promise<void> {
  if (!TABLE.test(table))
    throw new StartupError(`--table is "${table}": give a name such as savepoint_events.`);
  if (query) return say(loadedQuery(table));
  const known = loaded === undefined ? [] : readLoaded(loaded, await contentOf(loaded));
  const statements = await withDatabase(async ({ pool }, settings) => {
    const source = sourceOf(requireEventFiles(settings));
    const { id: gameId } = await requireGame(pool, tenant, game);
    const files = await listFiles(pool, [gameId]);
    return clickHouseStatements({ game: { gameId, tenant, game }, files, table, loaded: known, source });
  }, 'Nothing was changed.');
  for (const statement of statements) say(`${statement};`);
}

/** The key of the bucket is in ClickHouse, and not in the statements. */
function sourceOf({ bucket }: EventFilesSettings): (name: string) => string {
  return bucket === undefined
    ? (name) => `file('${name}', 'Parquet')`
    : (name) => `s3(savepoint_files, filename = '${bucket.prefix}${name}', format = 'Parquet')`;
}

function contentOf(file: string): Promise<string> {
  return text(file === '-' ? process.stdin : createReadStream(file));
}

function readLoaded(file: string, content: string) {
  try {
    return parseLoaded(content);
  } catch (error) {
    throw new StartupError(
      `--loaded ${file}: ${(error as Error).message}. It is what the query of --query gives.`,
    );
  }
}
