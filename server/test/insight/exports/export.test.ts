/** @module-tag full */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { exportEvents } from '../../../src/insight/exports/export-events.js';
import type { ExportFormat } from '../../../src/insight/exports/export-format.js';
import {
  cursorPath,
  type ExportSubject,
  type ExportTarget,
  openFileTarget,
  streamTarget,
} from '../../../src/insight/exports/export-target.js';
import type { Span } from '../../../src/studio/jobs/export-span.js';
import { finished, startCommand } from '../../support/command.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const NOON = Date.parse(`${dayOf(Date.now())}T12:00:00.000Z`);
const moment = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}000Z`;
const EVERYTHING: Span = { from: '0001-01-01T00:00:00.000000Z', to: '9999-01-01T00:00:00.000000Z' };

describe('exporting events', () => {
  let world: GameWorld;
  let folder: string;
  let games = 0;
  beforeAll(async () => {
    world = await createGameWorld();
    folder = await mkdtemp(join(tmpdir(), 'savepoint-export-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const newPlayer = async (): Promise<TestPlayer> => {
    const [player] = await world.addPlayers(await world.addGame(`game-${++games}`), [NOON]);
    return player as TestPlayer;
  };
  const exported = async (gameId: number, span: Span, format: ExportFormat = 'ndjson'): Promise<string> => {
    const stream = new PassThrough();
    const reading = text(stream);
    await exportEvents(world.pool, { gameId, span, format, target: streamTarget(stream), after: null });
    stream.end();
    return reading;
  };
  const linesOf = async (gameId: number, span: Span) =>
    (await exported(gameId, span))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it('writes each event as it was sent, in the order of their receipt', async () => {
    const player = await newPlayer();
    const stranger = await newPlayer();
    const events: TestEvent[] = [
      {
        ...adImpressionAt(NOON, 1),
        eventId: 'named "1"',
        metadata: { osName: 'ÅÄÖ 🎮', deep: { a: [1, 2.5, null] } },
      },
      { ...adImpressionAt(NOON, 2), timestamp: `${dayOf(NOON - 45 * DAY_MS)}T02:00:00.123456789+02:00` },
      {
        eventType: 'Odd "type",\n2',
        timestamp: '1969-12-31T23:59:59.999Z',
        payload: { text: 'a\u2028b "c", d\r\n' },
      },
      { eventType: 'Far', timestamp: '9998-12-31T23:59:59.999Z', payload: {} },
      { eventType: 'Near', timestamp: new Date(NOON - DAY_MS).toISOString(), payload: { n: 1e21, m: 0.1 } },
    ];
    await applyEvents(world.pool, toRecords(player, events, NOON + 5));
    await applyEvents(world.pool, toRecords(stranger, [adImpressionAt(NOON)], NOON));
    const lines = await linesOf(player.gameId, EVERYTHING);
    expect(lines.map(({ timestamp }) => timestamp)).toEqual(events.map(({ timestamp }) => timestamp));
    for (const line of lines) {
      const sent = events.find(({ timestamp }) => timestamp === line.timestamp);
      expect(line).toEqual({
        userId: player.userId,
        eventId: sent?.eventId ?? null,
        eventType: sent?.eventType,
        timestamp: sent?.timestamp,
        receivedAt: new Date(NOON + 5).toISOString(),
        clockSuspect: ['1969', '9998'].includes(line.timestamp.slice(0, 4)),
        payload: sent?.payload,
        metadata: sent?.metadata ?? {},
      });
    }

    const rows = parseCsv(await exported(player.gameId, EVERYTHING, 'csv'));
    expect(rows[0]).toEqual(Object.keys(lines[0]));
    expect(
      rows
        .slice(1)
        .map(([userId, eventId, eventType, timestamp, receivedAt, suspect, payload, metadata]) => ({
          userId,
          eventId: eventId === '' ? null : eventId,
          eventType,
          timestamp,
          receivedAt,
          clockSuspect: suspect === 'true',
          payload: JSON.parse(payload ?? ''),
          metadata: JSON.parse(metadata ?? ''),
        })),
    ).toEqual(lines);
  });

  it('writes nothing of a player into CSV that a spreadsheet takes for a formula', async () => {
    const player = await newPlayer();
    const nasty = ['=1+1', '+1', '-1', '@A1', '\t=1', '\r=1', "'=1", 'a;=1', 'a\n=1', '\uff1d1'];
    const events = nasty.map((text, n) => ({
      ...adImpressionAt(NOON + n, n),
      eventType: text,
      eventId: `${text} ${n}`,
      payload: { '=1': `x;${text}`, number: -5 },
      metadata: { note: `;=${text}` },
    }));
    await applyEvents(world.pool, toRecords(player, events, NOON + 5));
    const file = await exported(player.gameId, EVERYTHING, 'csv');
    const rows = parseCsv(file).slice(1);
    expect(rows.map(([, eventId, eventType]) => [eventId, eventType])).toEqual(
      [...["'=1+1", "'+1", "'-1", "'@A1", "'\t'=1", "'\r'=1", "''=1", "a;'=1", "a\n'=1", "'\uff1d1"]].map(
        (text, n) => [`${text} ${n}`, text],
      ),
    );
    // The JSON is written otherwise and means the same.
    expect(rows.map(([, , , , , , payload]) => JSON.parse(payload ?? ''))).toEqual(
      events.map(({ payload }) => payload),
    );
    // However a spreadsheet cuts the file into cells.
    for (const cells of [rows.flat(), file.split(/[,;\t\r\n]/)]) {
      expect(cells.filter((cell) => /^"*[=+\-@\uff1d]/.test(cell))).toEqual([]);
    }
    expect((await linesOf(player.gameId, EVERYTHING)).map(({ eventType }) => eventType)).toEqual(nasty);
  });

  it('takes the first moment in and leaves the last one out, to the microsecond', async () => {
    const player = await newPlayer();
    const at = ['11:59:59.999999Z', '12:00:00Z', '12:00:00.000001Z', '13:00:00Z'].map(
      (time) => `2026-09-01T${time}`,
    );
    await applyEvents(
      world.pool,
      toRecords(
        player,
        at.map((timestamp) => ({ eventType: 'T', timestamp, payload: {} })),
        NOON,
      ),
    );
    const span = { from: '2026-09-01T12:00:00.000000Z', to: '2026-09-01T13:00:00.000000Z' };
    expect((await linesOf(player.gameId, span)).map(({ timestamp }) => timestamp)).toEqual([at[1], at[2]]);
    expect(await linesOf(player.gameId, { ...span, to: '2026-09-01T12:00:00.000001Z' })).toHaveLength(1);
  });

  describe('of more than a page', () => {
    const COUNT = 30_000;
    let game: string;
    let gameId: number;
    let whole: string;
    const span = { from: moment(NOON - 20 * DAY_MS), to: moment(NOON + DAY_MS) };
    let subject: ExportSubject;

    beforeAll(async () => {
      const player = await newPlayer();
      const others = await world.addPlayers(player.gameId, [NOON, NOON]);
      gameId = player.gameId;
      game = `game-${games}`;
      subject = { tenant: world.tenant, game, format: 'ndjson', ...span };
      // Many at the same moment, in blocks of different sizes; most in two daily partitions, some in the default one.
      await world.pool.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         select ($2::bigint[])[1 + block % 3], at, $3, count(*), at, at, jsonb_agg(jsonb_build_array(
           'Fill', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           jsonb_build_object('n', n, 'filler', repeat('é', 100)), '{}'::jsonb))
         from (
           select n, case when n < 3000 then n else n / 20 end as block
           from generate_series(1, $4::int) n
         ) e
         cross join lateral (
           select $1::timestamptz - (case when block % 10 = 0 then interval '15 days' when block % 2 = 0 then interval '1 day' else '0' end)
             + (block / 500) * interval '1 second' as at
         ) t
         group by block, at`,
        [new Date(NOON), [player, ...others].map(({ playerId }) => playerId), gameId, COUNT],
      );
      whole = await exported(gameId, span);
    });

    const run = async (
      file: string,
      options: { resume: boolean; signal?: AbortSignal; target?: (t: ExportTarget) => ExportTarget },
    ) => {
      const opened = await openFileTarget(file, subject, options);
      return exportEvents(world.pool, {
        gameId,
        span,
        format: 'ndjson',
        after: opened.cursor.key,
        target: options.target?.(opened) ?? opened,
        ...(options.signal && { signal: options.signal }),
      });
    };

    it('writes every event once', () => {
      const numbers = whole
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).payload.n as number);
      expect(numbers).toHaveLength(COUNT);
      expect(new Set(numbers).size).toBe(COUNT);
    });

    it.each(['events.ndjson', 'events.ndjson.gz'])(
      'goes on after interruptions of any kind: %s',
      async (name) => {
        const file = join(folder, name);
        const content = async () =>
          (name.endsWith('.gz') ? gunzipSync(await readFile(file)) : await readFile(file)).toString();
        let interruptions = 0;
        for (let resume = false; ; resume = true) {
          const stop = new AbortController();
          let pages = 0;
          const target = (opened: ExportTarget): ExportTarget => ({
            ...opened,
            async write(...page) {
              // Some runs are asked to stop, some break.
              if (++pages === 3 && interruptions % 2 === 0) stop.abort();
              if (pages === 3 && interruptions % 2 === 1) throw new Error('broken');
              await opened.write(...page);
            },
          });
          const state = await run(file, { resume, signal: stop.signal, target }).catch(
            (error: Error) => error.message,
          );
          if (state === 'done') break;
          interruptions++;
          expect(existsSync(cursorPath(file))).toBe(true);
          expect(whole.startsWith(await content())).toBe(true);
          // What was written after the cursor was, as a crash leaves it.
          await appendFile(file, 'half a li');
        }
        expect(interruptions).toBeGreaterThan(4);
        expect(await content()).toBe(whole);
        expect(existsSync(cursorPath(file))).toBe(false);
      },
    );

    it('refuses, in a sentence, what would spoil a file', async () => {
      const file = join(folder, 'refusals');
      await writeFile(file, 'mine');
      await expect(run(file, { resume: false })).rejects.toThrow(
        /exists already\. Delete it, or choose another name\.$/,
      );
      await expect(run(file, { resume: true })).rejects.toThrow(/^There is nothing to resume:/);
      const cursor = { version: 2, ...subject, bytes: 100, events: 1, key: null };
      await writeFile(cursorPath(file), JSON.stringify(cursor));
      await expect(run(file, { resume: false })).rejects.toThrow(
        /unfinished export\. Go on with it with --resume/,
      );
      await expect(run(file, { resume: true })).rejects.toThrow(/is shorter than/);
      await writeFile(cursorPath(file), JSON.stringify({ ...cursor, game: 'other' }));
      await expect(run(file, { resume: true })).rejects.toThrow(/was begun with --game other, not game-/);
      await writeFile(cursorPath(file), '{"version":');
      await expect(run(file, { resume: true })).rejects.toThrow(/is not a cursor/);
      expect(await readFile(file, 'utf8')).toBe('mine');
    });

    it('makes a readable file of no events', async () => {
      const file = join(folder, 'empty.csv.gz');
      const none = { from: '2020-01-01T00:00:00.000000Z', to: '2020-01-02T00:00:00.000000Z' };
      const target = await openFileTarget(file, { ...subject, ...none, format: 'csv' }, { resume: false });
      await exportEvents(world.pool, { gameId, span: none, format: 'csv', target, after: null });
      expect(gunzipSync(await readFile(file)).toString()).toMatch(/^userId,.*\r\n$/);
      const other = await openFileTarget(join(folder, 'empty.gz'), { ...subject, ...none }, { resume: true });
      await exportEvents(world.pool, { gameId, span: none, format: 'ndjson', target: other, after: null });
      expect(gunzipSync(await readFile(join(folder, 'empty.gz')))).toHaveLength(0);
    });

    describe('by the command', () => {
      const savepoint = (...args: string[]) => startCommand(world.url, ...args);
      const exportArgs = () => [
        'export',
        'events',
        '--tenant',
        world.tenant,
        '--game',
        game,
        '--from',
        span.from,
        '--to',
        span.to,
      ];
      it('writes to standard output, and tells of it on the other stream', async () => {
        const { out, errors, code } = await finished(savepoint(...exportArgs()));
        expect(code).toBe(0);
        expect(out).toBe(whole);
        expect(errors).toContain('Exported 30,000 events.');
      });

      it('ends quietly when its reader has all it wanted', async () => {
        const child = savepoint(...exportArgs());
        const errors = text(child.stderr);
        const exit = once(child, 'exit');
        await once(child.stdout, 'data');
        child.stdout.destroy();
        expect(await exit).toEqual([0, null]);
        expect(await errors).not.toMatch(/EPIPE|Error|Interrupted|Exported/);
      });

      it.each(['SIGKILL', 'SIGINT'] as const)('goes on after %s', async (signal) => {
        const file = join(folder, `${signal}.ndjson.gz`);
        const interrupt = async () => {
          const child = savepoint(...exportArgs(), '--out', file);
          const ended = finished(child);
          while (child.exitCode === null && !(await begun(file))) await sleep(5);
          child.kill(signal);
          return ended;
        };
        let { code, errors } = await interrupt();
        // It may have been faster than the signal.
        while (!existsSync(cursorPath(file))) {
          expect(gunzipSync(await readFile(file)).toString()).toBe(whole);
          await rm(file);
          ({ code, errors } = await interrupt());
        }
        if (signal === 'SIGINT') {
          expect(code).toBe(130);
          expect(errors).toContain('Go on with the same command and --resume.');
        }
        const again = await finished(savepoint(...exportArgs(), '--out', file, '--resume'));
        expect(again.errors).toContain('Exported 30,000 events');
        expect(again.code).toBe(0);
        expect(gunzipSync(await readFile(file)).toString()).toBe(whole);
      });

      it.each([
        [['--from', '15.11.2026'], '--from is "15.11.2026": give a date such as 2026-11-15'],
        [['--from', '2026-11-16', '--to', '2026-11-15'], '--from 2026-11-16 is not before --to 2026-11-15.'],
        [['--game', 'nobody'], 'There is no game "nobody" of tenant "studio".'],
      ])('explains what is wrong with %j', async (args, sentence) => {
        const { out, errors, code } = await finished(savepoint(...exportArgs(), ...args));
        expect(code).toBe(1);
        expect(out).toBe('');
        expect(errors).toContain(sentence);
        expect(errors).not.toMatch(/^\s+at /m);
      });
    });
  });
});

/** Whether some of the file is known to be on the disk. */
async function begun(file: string): Promise<boolean> {
  try {
    return JSON.parse(await readFile(cursorPath(file), 'utf8')).events > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** As RFC 4180 says: fields in quotes may hold anything, quotes doubled. */
function parseCsv(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (const [, quoted, plain, end] of csv.matchAll(FIELD)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
