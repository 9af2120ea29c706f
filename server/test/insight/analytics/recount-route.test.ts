import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { gameEvent } from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

const PATH = `${GAME}/rollups/check`;
type Line = {
  progress?: { step: string; done: number; total: number };
  result?: { message: string; differenceCount: number; differences: unknown[] } & Record<string, unknown>;
};

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  const session = await harness.login();
  const events = [1, 2, 3].map((n) => gameEvent('Win', n, harness.clock.now()));
  expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const check = async (path = PATH, token = admin.tokens.owner): Promise<Line[]> => {
  const response = await admin.call('POST', path, undefined, token);
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  return response.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

/** Holds a table that the check reads, until it is let go. */
async function holdPlayers() {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('lock table players in access exclusive mode');
  return { letGo: () => client.end() };
}

/** How many statements wait for a lock in this database. */
async function waiting(): Promise<number> {
  const { rows } = await harness.pool.query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.n ?? 0;
}

describe('the check of the roll-ups by the admin API', () => {
  it('tells how far it is and that everything agrees', async () => {
    const lines = await check();
    expect(lines[0]?.progress).toMatchObject({ step: 'events', done: 0, total: expect.any(Number) });
    expect(lines.at(-1)).toEqual({
      result: {
        message: 'Counted 3 events and 1 player again. Everything agrees.',
        events: 3,
        players: 1,
        eventsDeletedBefore: null,
        differenceCount: 0,
        differences: [],
      },
    });
  });

  it('names what differs, of the own game only', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
    const { rows } = await harness.pool.query<{ day: string; kept: string }>(
      `update game_days set events = events + 1
       where (game_id, day, shard) = (select game_id, day, shard from game_days where events > 0 limit 1)
       returning day::text, events::text as kept`,
    );
    const [mine, theirs] = [await check(), await check('/games/other-game/rollups/check', stranger)];
    await harness.pool.query('update game_days set events = events - 1 where day = $1 and events = $2', [
      rows[0]?.day,
      rows[0]?.kept,
    ]);
    expect(mine.at(-1)?.result).toMatchObject({
      message: 'Counted 3 events and 1 player again. 1 value differs.',
      differenceCount: 1,
      differences: [{ table: 'game_days', key: rows[0]?.day, name: 'events' }],
    });
    expect(theirs.at(-1)?.result).toMatchObject({ events: 0, players: 0, differenceCount: 0 });
    expectGeneralError(await admin.call('POST', PATH, undefined, stranger), 404, 'game_not_found');
  });

  it('is for owners', async () => {
    for (const token of [admin.tokens.editor, admin.tokens.viewer]) {
      expectGeneralError(await admin.call('POST', PATH, undefined, token), 403, 'role_too_low');
    }
  });

  it('runs one at a time, and ends in the database when the client hangs up', async () => {
    await admin.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = admin.app.server.address() as AddressInfo;
    const held = await holdPlayers();
    const headers = { authorization: `Bearer ${admin.tokens.owner}` };
    const running = await new Promise<ClientRequest>((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port, path: `/admin/v1${PATH}`, method: 'POST', headers },
        (response) => {
          response.once('data', () => resolve(request));
          response.on('error', () => {});
        },
      );
      request.on('error', reject);
      request.end();
    });
    await expect.poll(waiting).toBe(1);
    const second = await admin.call('POST', PATH, undefined, admin.tokens.owner);
    expectGeneralError(second, 429, 'busy');
    expect(second.headers['retry-after']).toBe('60');

    running.destroy();
    // The lock is still held: the statement did not get it, it was cancelled.
    await expect.poll(waiting).toBe(0);
    await held.letGo();
    await expect
      .poll(async () => (await admin.call('POST', PATH, undefined, admin.tokens.owner)).statusCode)
      .toBe(200);
  });
});
