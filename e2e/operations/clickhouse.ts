import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runSavepoint, startService, temporaryFolder, until } from '../support/service.js';
import { isPurchase, linesOf, type PastEvent, PRICE } from './past-events.js';

/** chDB is ClickHouse as a library. As WebAssembly it runs on every platform, in a Node.js of 23 or newer. */
const PACKAGES = [`node-${process.platform}-${process.arch}@24`, 'chdb-wasm@0.4.0'];
const CHILD = fileURLToPath(new URL('clickhouse-child.mjs', import.meta.url));
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
/** The days are compacted by the first maintenance, and then written. */
const TIMEOUT_MS = 300_000;
const PLAYERS = 40;
const DAYS = ['2026-01-05', '2026-01-06', '2026-01-07'];
const SUMS =
  "select day, count(), uniqExact(player_key), sum(if(event_type = 'Purchase', price, 0)) from savepoint_events group by day order by day";

/**
 * Loads the files of a game into ClickHouse by the statements of `savepoint event-files clickhouse`: twice, after loads that were interrupted, and a
 * later generation. The sums are those of the events that were imported, and of the recount.
 */
export async function tryClickHouse(): Promise<readonly string[]> {
  const tools = await temporaryFolder();
  execFileSync(
    'npm',
    ['install', '--prefix', tools, '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES],
    { stdio: 'inherit' },
  );
  const [folder, dataDir] = [await temporaryFolder(), await temporaryFolder()];
  const files = join(folder, 'files');
  const settings = {
    SAVEPOINT_DATA_DIR: dataDir,
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_EVENT_FILES_DIR: files,
  };
  const problems: string[] = [];
  const run = async (...args: string[]): Promise<string> => {
    const { code, output } = await runSavepoint(args, settings);
    if (code !== 0) problems.push(`savepoint ${args.join(' ')}: ${output}`);
    return output;
  };
  const lines: PastEvent[] = DAYS.flatMap((day, at) =>
    Array.from({ length: PLAYERS * (at + 3) }, (_, n) => ({ day, player: n % PLAYERS, n })),
  );
  const add = async (name: string, added: readonly PastEvent[]): Promise<void> => {
    await writeFile(join(folder, name), linesOf(added));
    await run('import', 'events', ...GAME, '--file', join(folder, name), '--no-pauses');
  };
  const manifest = async (): Promise<{ day: string; generation: number; file: string }[]> => {
    const text = await readFile(join(files, 'demo-studio/demo-game/manifest.json'), 'utf8').catch(() => '{}');
    return JSON.parse(text).files ?? [];
  };
  const generations = async () => (await manifest()).map(({ generation }) => generation).join();

  const service = await startService(settings);
  const clickHouse = startClickHouse(tools);
  /** By the statements that the command prints; as many of them as given. */
  const load = async (loaded: string, count = Number.POSITIVE_INFINITY): Promise<number> => {
    const list = join(folder, 'loaded.tsv');
    await writeFile(list, loaded);
    for (const { file } of await manifest())
      await clickHouse.addFile(`demo-studio/demo-game/${file}`, join(files, 'demo-studio/demo-game', file));
    const printed = await run('event-files', 'clickhouse', ...GAME, '--loaded', list);
    const statements = printed.split(';\n').filter((statement) => statement.trim() !== '');
    for (const statement of statements.slice(0, count)) await clickHouse.ask(statement);
    return statements.length;
  };
  const loadedNow = async () =>
    clickHouse.ask((await run('event-files', 'clickhouse', ...GAME, '--query')).trim());
  const compare = async (what: string, expected: readonly PastEvent[]): Promise<void> => {
    const found = await clickHouse.ask(SUMS);
    process.stdout.write(`${what}:\n${found}`);
    if (found !== sumsOf(expected))
      problems.push(`${what}: ClickHouse has other sums, not ${sumsOf(expected)}`);
  };
  try {
    await add('first.ndjson', lines);
    await until(async () => {
      await run('event-files', 'write');
      return (await generations()) === '1,1,1';
    }, TIMEOUT_MS);
    await load('');
    await compare('loaded', lines);
    await load('');
    await compare('loaded twice, as if nothing were known', lines);
    // The three tables, the first day forgotten, its rows dropped and stored.
    await load('', 6);
    const [hidden] = DAYS;
    await compare(
      'interrupted, as if nothing were known',
      lines.filter(({ day }) => day !== hidden),
    );
    await load(await loadedNow());
    await compare('the day that was hidden', lines);
    const again = await load(await loadedNow());
    if (again !== 3) problems.push(`${again} statements where there is nothing to load`);
    await compare('loaded again', lines);

    const late = { day: DAYS[1] ?? '', player: 0, n: 100_000 };
    await add('late.ndjson', [late]);
    await run('event-files', 'write');
    if ((await generations()) !== '1,2,1') problems.push(`the generations are ${await generations()}`);
    await load(await loadedNow(), 5);
    await compare('interrupted after the rows of the second generation', lines);
    await load(await loadedNow());
    await compare('the second generation', [...lines, late]);
    const left = await clickHouse.ask('select count() from savepoint_events_stored');
    if (Number(left) !== lines.length + 1) problems.push(`${left} rows are stored, with former generations`);
    const recount = await run('rollups', 'check', ...GAME);
    process.stdout.write(recount);
    return problems;
  } finally {
    clickHouse.stop();
    await service.interrupt();
  }
}

function sumsOf(lines: readonly PastEvent[]): string {
  return DAYS.filter((day) => lines.some((line) => line.day === day))
    .map((day) => {
      const of = lines.filter((line) => line.day === day);
      const players = new Set(of.map(({ player }) => player)).size;
      const revenue = of.filter(isPurchase).length * PRICE;
      return `${day}\t${of.length}\t${players}\t${revenue}\n`;
    })
    .join('');
}

function startClickHouse(tools: string) {
  const node = join(tools, 'node_modules', PACKAGES[0]?.split('@')[0] ?? '', 'bin', 'node');
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(node, [CHILD, tools], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error('ClickHouse has ended');
  });
  ended.catch(() => {});
  const send = async (request: unknown): Promise<string> => {
    const answered = once(lines, 'line');
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const [line] = await Promise.race([answered, ended]);
    const { text, problem } = JSON.parse(line);
    if (problem !== undefined) throw new Error(problem);
    return text;
  };
  return {
    // Its file system has no folders.
    ask: (sql: string) => send({ sql: sql.replaceAll(/(?<=file\('[^']*)\//g, '_') }),
    addFile: (name: string, path: string) => send({ name: name.replaceAll('/', '_'), path }),
    stop: () => child.kill('SIGKILL'),
  };
}
