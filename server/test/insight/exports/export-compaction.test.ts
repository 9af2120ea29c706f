import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportEvents } from '../../../src/insight/exports/export-events.js';
import { cursorPath, type ExportTarget, openFileTarget } from '../../../src/insight/exports/export-target.js';
import {
  compact,
  countBlocks,
  DAY,
  DAY_START,
  EVERYTHING,
  exportedFile,
  NOW,
} from '../../support/closed-day.js';
import { ensureDays } from '../../support/event-days.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

const SPAN = { format: 'ndjson', ...EVERYTHING } as const;
const EVENTS = 12_000;

describe('an export of a day that is compacted meanwhile', () => {
  let world: GameWorld;
  let gameId: number;
  let folder: string;
  let file: string;
  beforeEach(async () => {
    world = await createGameWorld();
    folder = await mkdtemp(join(tmpdir(), 'savepoint-export-'));
    file = join(folder, 'events.ndjson');
    gameId = await world.addGame('game');
    await ensureDays(world.pool, [DAY]);
  });
  afterEach(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  /** Single events of five players, some of them received in the same millisecond, so many milliseconds apart. */
  const fill = async (apartMs: number) => {
    const players = await world.addPlayers(gameId, [NOW, NOW, NOW, NOW, NOW]);
    await world.pool.query(
      `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, install_id, events)
       select ($1::bigint[])[1 + n * 7 % 5], at, $2, 1, at, at, case when n % 2 = 0 then 'install' end,
         jsonb_build_array(jsonb_build_array('Fill', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           jsonb_build_object('n', n), '{}'::jsonb))
       from generate_series(1, $4::int) n
       cross join lateral (select $3::timestamptz + (n / 3 * $5::int) * interval '1 ms' as at) t
       order by n`,
      [players.map(({ playerId }) => playerId), gameId, new Date(DAY_START), EVENTS, apartMs],
    );
  };
  type Write = (pages: number, stop: AbortController) => Promise<void> | void;
  /** Calls `onWrite` before each page is written. */
  const run = async (resume: boolean, onWrite: Write = () => {}) => {
    const opened = await openFileTarget(file, { tenant: world.tenant, game: 'game', ...SPAN }, { resume });
    const stop = new AbortController();
    let pages = 0;
    const target: ExportTarget = {
      ...opened,
      async write(...page) {
        await onWrite(++pages, stop);
        await opened.write(...page);
      },
    };
    const options = { gameId, span: EVERYTHING, format: 'ndjson', after: opened.cursor.key } as const;
    return exportEvents(world.pool, { ...options, target, signal: stop.signal });
  };
  const stopAtThird: Write = (pages, stop) => {
    if (pages === 3) stop.abort();
  };
  const largeWindows = { limits: { maxEvents: 500, pagesPerWindow: 100 } };

  it('goes on in the middle of the day, where the small blocks were, and in the middle of the large ones', async () => {
    await fill(7_000);
    const whole = await exportedFile(world, gameId);
    expect(await run(false, stopAtThird)).toBe('interrupted');
    const begun = await readFile(file, 'utf8');
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(whole.length / 2);

    const blocks = await countBlocks(world);
    expect(await compact(world, largeWindows)).toMatchObject({ state: 'done' });
    expect(await countBlocks(world)).toBeLessThan(blocks / 10);

    let interruptions = 1;
    while ((await run(true, stopAtThird)) === 'interrupted') {
      interruptions++;
      expect(whole.startsWith(await readFile(file, 'utf8'))).toBe(true);
    }
    expect(interruptions).toBeGreaterThan(2);
    expect(await readFile(file, 'utf8')).toBe(whole);
    expect(existsSync(cursorPath(file))).toBe(false);
    expect(await exportedFile(world, gameId)).toBe(whole);
  });

  it('goes on when the blocks are replaced between two of its pages', async () => {
    await fill(7_000);
    const whole = await exportedFile(world, gameId);
    const states: string[] = [];
    const done = await run(false, async (pages) => {
      if (pages === 3) states.push((await compact(world, largeWindows)).state);
    });
    expect(done).toBe('done');
    expect(states).toEqual(['done']);
    expect(await readFile(file, 'utf8')).toBe(whole);
  });

  it('also writes what has come into the day since', async () => {
    await fill(7_000);
    expect(await compact(world, largeWindows)).toMatchObject({ state: 'done' });
    await fill(7_000);
    const lines = (await exportedFile(world, gameId)).split('\n').slice(0, -1);
    expect(lines).toHaveLength(2 * EVENTS);
    const receipts = lines.map((line) => JSON.parse(line).receivedAt as string);
    expect(receipts).toEqual([...receipts].sort());
  });

  it('is refused, in a sentence, where it is unknown which events of a millisecond it had', async () => {
    await fill(0);
    expect(await run(false, stopAtThird)).toBe('interrupted');
    expect(await compact(world, largeWindows)).toMatchObject({ state: 'done' });
    await expect(run(true)).rejects.toThrow(/Delete the file and start anew\.$/);
    expect((await exportedFile(world, gameId)).split('\n')).toHaveLength(EVENTS + 1);
  });
});
