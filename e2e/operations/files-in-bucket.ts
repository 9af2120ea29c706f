import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '../../server/src/platform/lib/s3/s3-client.js';
import { until } from '../support/service.js';
import { isPurchase, linesOf, type PastEvent, PRICE } from './past-events.js';

/** The days are compacted by the first maintenance, and then written. */
const TIMEOUT_MS = 300_000;
const PAUSE_MS = 2_000;
const DAYS = ['2026-01-05', '2026-01-06'];
const PER_DAY = 2_000;
const PLAYERS = 40;
const EVENTS: readonly PastEvent[] = DAYS.flatMap((day) =>
  Array.from({ length: PER_DAY }, (_, n) => ({ day, player: n % PLAYERS, n })),
);
const SUMS =
  "select count(*)::integer, count(distinct player_key)::integer, sum(price)::double from events where event_id like 'e-%'";
const EXPECTED = `${EVENTS.length},${PLAYERS},${EVENTS.filter(isPurchase).length * PRICE}`;

type Run = (...args: string[]) => Promise<string>;

/** Imports closed days, and waits until their files are in the bucket. */
export async function writeFilesToBucket(
  run: Run,
  client: S3Client,
  { prefix, folder, game }: Readonly<{ prefix: string; folder: string; game: readonly string[] }>,
): Promise<void> {
  const path = join(folder, 'events.ndjson');
  await writeFile(path, linesOf(EVENTS));
  await run('import', 'events', ...game, '--file', path, '--no-pauses');
  await until(async () => {
    await sleep(PAUSE_MS);
    await run('event-files', 'write');
    const manifest = await client.get(`${prefix}/demo-studio/demo-game/manifest.json`);
    return manifest !== undefined && JSON.parse(await text(manifest)).files.length === DAYS.length;
  }, TIMEOUT_MS);
  const { objects } = await client.list(`${prefix}/`);
  for (const { key, size } of objects) process.stdout.write(`in the bucket: ${key}, ${size} bytes\n`);
}

/** Reads the files back, as their digests and as DuckDB have them. Returns what is wrong. */
export async function askFilesInBucket(run: Run, game: readonly string[]): Promise<readonly string[]> {
  await run('event-files', 'check');
  const [, sums = ''] = (await run('sql', ...game, '--format', 'csv', SUMS)).split('\n');
  return sums.trim() === EXPECTED ? [] : [`the files in the bucket have ${sums}, not ${EXPECTED}`];
}
