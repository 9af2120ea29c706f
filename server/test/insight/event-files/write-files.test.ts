/** @module-tag full */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { checkEventFiles } from '../../../src/insight/cli/doctor-event-files.js';
import { createEventFilesMetrics } from '../../../src/insight/event-files/event-files-metrics.js';
import type { FileStore } from '../../../src/insight/event-files/file-store.js';
import type { GameFolder } from '../../../src/insight/event-files/manifest.js';
import { ERASED_AFTER_MS } from '../../../src/insight/event-files/writing/write-files.js';
import { systemClock } from '../../../src/platform/lib/clock.js';
import { compact, DAY, DAY_START, fillClosedDay, NOW, send, TABLE } from '../../support/closed-day.js';
import { createFilesFolder, type FilesFolder } from '../../support/event-files.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
} from '../../support/game-world.js';

let world: GameWorld;
let files: FilesFolder;
let players: TestPlayer[];
let one: GameFolder;
beforeAll(async () => {
  world = await createGameWorld();
  files = await createFilesFolder(world.pool);
  players = await fillClosedDay(world);
  one = { gameId: players[0]?.gameId ?? 0, tenant: 'studio', game: 'one' };
});
afterAll(async () => {
  await files.remove();
  await world.close();
});

const NAME = (generation: number, game = 'one') => `studio/${game}/events-${DAY}-g${generation}.parquet`;

async function stored<T>(sql: string): Promise<T[]> {
  const { rows } = await world.pool.query({ text: sql, values: [one.gameId], rowMode: 'array' });
  return rows as T[];
}

/** What the doctor warns of, ten days later. */
async function warning(): Promise<string | undefined> {
  const versions = { applied: 1, known: 1 };
  const { settings: eventFiles } = files;
  const [finding] = await checkEventFiles(world.pool, { eventFiles }, versions, NOW + 10 * DAY_MS);
  return finding?.warning;
}
const LATE = 'days are missing, or have changed since they were written';

/** Each of these goes on from the state that the one before has left. */
describe('the files of a closed day', () => {
  it('wait until the day has been compacted', async () => {
    expect(await files.write()).toEqual({ state: 'done', files: 0, events: 0 });
    await expect.poll(async () => (await compact(world)).state).toBe('nothing');
    expect(await warning()).toBe(LATE);
  });

  it('are written although the file of another game cannot be', async () => {
    const real = files.store;
    const store: FileStore = {
      ...real,
      create: (name) =>
        name.startsWith('studio/one/') ? Promise.reject(new Error('no space left')) : real.create(name),
    };
    await expect(files.write({ store })).rejects.toThrow(
      `the events of studio/one of ${DAY} could not be written: no space left`,
    );
    expect(await files.list()).toEqual([NAME(1, 'two'), 'studio/two/manifest.json']);
  });

  it('are written once', async () => {
    expect(await warning()).toBe(LATE);
    expect(await files.write()).toMatchObject({ state: 'done', files: 1 });
    expect(await warning()).toBeUndefined();
    expect(await files.write()).toEqual({ state: 'done', files: 0, events: 0 });
    expect(await files.list()).toEqual([
      NAME(1),
      'studio/one/manifest.json',
      NAME(1, 'two'),
      'studio/two/manifest.json',
    ]);
  });

  it('add up to what the roll-ups say, and to the recount', async () => {
    const { events, differenceCount } = await recountGame(world.pool, one.gameId);
    expect(differenceCount).toBe(0);
    const [totals, types, revenue] = [
      await files.rows(
        one,
        `select counted_at::date::varchar, count(*)::integer, count(distinct player_key)::integer from events group by 1 order by 1`,
      ),
      await files.rows(
        one,
        `select counted_at::date::varchar, event_type, count(*)::integer from events group by 1, 2 order by 1, 2`,
      ),
      // A purchase counts once, however often it is sent.
      await files.rows(
        one,
        `select sum(price)::double from (
           select any_value(price) as price from events where event_type = 'Purchase' and transaction_id is not null
           group by player_key, transaction_id
           union all
           select price from events where event_type = 'Purchase' and transaction_id is null
         )`,
      ),
    ];
    expect(totals).toEqual(
      await stored(
        `select day::text, sum(events)::int, sum(active_players)::int from game_days where game_id = $1 and events > 0 group by 1 order by 1`,
      ),
    );
    expect(types).toEqual(
      await stored(
        `select day::text, event_type, sum(events)::int from game_event_types where game_id = $1 group by day, event_type order by day, event_type collate "C"`,
      ),
    );
    expect(revenue).toEqual(
      await stored(
        `select sum((revenue ->> 'USD')::numeric)::float8 from game_days where game_id = $1 having count(*) > 0`,
      ),
    );
    expect((await files.manifest('one')).files).toEqual([
      expect.objectContaining({ day: DAY, generation: 1, events }),
    ]);
  });

  it('are told of by metrics', async () => {
    const metrics = await createEventFilesMetrics(world.pool, true, systemClock).registry.metrics();
    expect(metrics).toContain(`savepoint_event_files_last_day_timestamp_seconds ${DAY_START / 1_000}\n`);
    expect(metrics).toContain('savepoint_event_files_due 0\n');
    expect(metrics).toContain('savepoint_event_files_late 0\n');
    expect(await createEventFilesMetrics(world.pool, false, systemClock).registry.metrics()).toBe('\n');
  });

  it('hold every event as it was sent', async () => {
    const columns = 'payload, metadata, event_id, event_type';
    const inFile = await files.rows(one, `select ${columns} from events`);
    const inTable = await stored(
      `select payload::text, metadata::text, event_id, event_type from events where game_id = $1`,
    );
    const texts = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(texts(inFile)).toEqual(texts(inTable));
  });

  it('are written again after a late event, and the former file goes an hour later', async () => {
    const [first] = players as [TestPlayer];
    const before = (await files.manifest('one')).files[0]?.events ?? 0;
    const late = DAY_START + 1_000;
    let nowMs = NOW;
    const { registry } = createEventFilesMetrics(world.pool, true, { now: () => nowMs });
    expect(await registry.metrics()).toContain('savepoint_event_files_due 0\n');
    await send(world, first, [adImpressionAt(late, 77_777)], late);
    expect(await warning()).toBe(LATE);
    // What was read is kept for a minute.
    expect(await registry.metrics()).toContain('savepoint_event_files_due 0\n');
    nowMs += 60_000;
    expect(await registry.metrics()).toContain('savepoint_event_files_due 1\n');
    expect(await files.write()).toEqual({ state: 'done', files: 1, events: before + 1 });
    expect((await files.manifest('one')).files).toMatchObject([
      { day: DAY, generation: 2, events: before + 1 },
    ]);
    await files.write();
    expect(await files.list()).toContain(NAME(1));
    // A file is written a while after the run began.
    await files.write({ nowMs: NOW + DAY_MS });
    expect(await files.list()).not.toContain(NAME(1));
    expect(await files.rows(one, 'select count(*)::integer from events')).toEqual([[before + 1]]);
  });

  it('are begun anew after an interruption, and what it has left is removed', async () => {
    const [first] = players as [TestPlayer];
    await send(world, first, [adImpressionAt(DAY_START, 77_778)], DAY_START);
    const stopping = new AbortController();
    stopping.abort();
    expect(await files.write({ signal: stopping.signal })).toMatchObject({ state: 'unfinished', files: 0 });
    const left = [`${NAME(3)}.unfinished`, NAME(9)];
    for (const name of [...left, 'studio/one/notes.txt']) await writeFile(join(files.folder, name), '');
    expect(await files.write()).toMatchObject({ state: 'done', files: 1 });
    const names = await files.list();
    for (const name of left) expect(names).not.toContain(name);
    expect(names).toContain('studio/one/notes.txt');
    expect(names).toContain(NAME(3));
  });

  it('are written again where one is missing, or is not as long as it was', async () => {
    await rm(join(files.folder, NAME(3)));
    expect(await files.write()).toMatchObject({ state: 'done', files: 1 });
    expect((await files.manifest('one')).files).toMatchObject([{ generation: 4 }]);
    await rm(join(files.folder, NAME(4)));
    await writeFile(join(files.folder, NAME(4)), 'PAR1');
    expect(await files.write()).toMatchObject({ state: 'done', files: 1 });
    expect((await files.manifest('one')).files).toMatchObject([{ generation: 5 }]);
  });

  it('name players by keys that no one can lead back once the player is erased', async () => {
    const [, second] = players as [TestPlayer, TestPlayer];
    const keys = () =>
      world.pool.query('select key from player_keys where player_id = $1', [second.playerId]);
    const [row] = (await keys()).rows as { key: string }[];
    const count = `select count(*)::integer from events where player_key = '${row?.key}'`;
    expect((await files.rows(one, count))[0]?.[0]).toBeGreaterThan(0);

    // As an erasure does: the player's row first, then the rest.
    await world.pool.query('delete from players where id = $1', [second.playerId]);
    await world.pool.query(`delete from ${TABLE} where player_id = $1`, [second.playerId]);
    await world.pool.query('delete from player_keys where player_id = $1', [second.playerId]);
    const { registry } = createEventFilesMetrics(world.pool, true, systemClock);
    expect(await registry.metrics()).toContain('savepoint_event_files_due 0\n');
    // Several erasures share a generation.
    expect(await files.write()).toMatchObject({ files: 0 });
    expect(await files.write({ nowMs: NOW + ERASED_AFTER_MS + DAY_MS })).toMatchObject({ files: 1 });
    expect(await files.rows(one, count)).toEqual([[0]]);
    expect((await keys()).rows).toEqual([]);
  });

  it('leave out a player who is being erased', async () => {
    const [, , third] = players as [TestPlayer, TestPlayer, TestPlayer];
    await world.pool.query('delete from players where id = $1', [third.playerId]);
    await world.pool.query('delete from player_keys where player_id = $1', [third.playerId]);
    await rm(join(files.folder, NAME(6)));
    expect(await files.write()).toMatchObject({ files: 1 });
    expect(await files.rows(one, 'select count(distinct player_key)::integer from events')).toEqual([[1]]);
    const { rows } = await world.pool.query('select from player_keys where player_id = $1', [third.playerId]);
    expect(rows).toEqual([]);
  });

  it('are written again of a day that was made anew, which nobody watches', async () => {
    await world.pool.query(`drop trigger note_file_change on ${TABLE}`);
    const generation = async (game: string) => (await files.manifest(game)).files[0]?.generation ?? 0;
    const [ofOne, ofTwo] = [await generation('one'), await generation('two')];
    await world.pool.query(`delete from ${TABLE} where game_id <> $1`, [one.gameId]);
    expect(await files.write()).toMatchObject({ state: 'done', files: 2 });
    expect([await generation('one'), await generation('two')]).toEqual([ofOne + 1, ofTwo + 1]);
    expect((await files.manifest('two')).files).toMatchObject([{ events: 0 }]);
    expect(await files.write()).toMatchObject({ files: 0 });
  });

  it('go with the events that retention deletes', async () => {
    await world.pool.query('update games set events_deleted_before = $2::date + 1 where id = $1', [
      one.gameId,
      DAY,
    ]);
    await files.write();
    expect((await files.manifest('one')).files).toEqual([]);
    await world.pool.query('select drop_partition($1)', [TABLE]);
    await files.write();
    expect((await files.manifest('two')).files).toEqual([]);
    expect((await files.list()).filter((name) => name.endsWith('.parquet'))).toEqual([]);
  });
});

it('leaves a folder alone that it cannot read as its own', async () => {
  await mkdir(join(files.folder, 'backups', 'x'), { recursive: true });
  // The second could be a file of another installation that has the same folder.
  const others = ['backups/x/base.tar', `backups/x/events-${DAY}-g1.parquet`];
  for (const name of others) await writeFile(join(files.folder, name), '');
  await files.write();
  expect(await files.list()).toEqual(expect.arrayContaining(others));
});
