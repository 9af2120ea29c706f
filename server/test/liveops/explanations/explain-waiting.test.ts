import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

/** Requests of one studio that wait while one runs. */
const PLACES = 10;

let harness: Harness;
let admin: AdminClient;
let asked: { playerId: string; at: string };
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  const { userId } = await harness.login();
  asked = { playerId: userId, at: new Date(harness.clock.now()).toISOString() };
  harness.clock.advance(10_000);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ask = () => admin.call('POST', '/games/demo-game/explain', asked, admin.tokens.viewer);
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Blocks rebuilds by locking the stored events. */
async function holdEvents() {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('lock table event_blocks in access exclusive mode');
  return { letGo: () => client.end() };
}

/** How many rebuilds have begun. */
async function running(): Promise<number> {
  const { rowCount } = await harness.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount ?? 0;
}

it('the requests of one studio wait for each other, and do not block other studios', async () => {
  const other = await addStudio(harness, 'other-studio', 'other-game');
  const { userId } = await other.login('device');
  harness.clock.advance(1000);
  const stranger = await admin.addToken('viewer', { tenant: 'other-studio' });
  const held = await holdEvents();
  const first = ask();
  await until(async () => (await running()) === 1);
  const more = many(PLACES + 1, ask);
  const refused = await Promise.race(more);
  expectGeneralError(refused, 429, 'busy');
  expect(refused.headers['retry-after']).toBe('1');

  const at = new Date(harness.clock.now() - 1).toISOString();
  const theirs = admin.call('POST', '/games/other-game/explain', { playerId: userId, at }, stranger);
  await until(async () => (await running()) === 2);
  await held.letGo();
  expect((await theirs).statusCode).toBe(200);
  const statuses = (await Promise.all([first, ...more])).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted()).toEqual([...many(PLACES + 1, () => 200), 429]);
});

it('a client that disconnects no longer waits', async () => {
  await admin.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = admin.app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${admin.tokens.viewer}`, 'content-type': 'application/json' };
  const path = '/admin/v1/games/demo-game/explain';
  const refused: number[] = [];
  const send = (): ClientRequest => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      refused.push(response.statusCode ?? 0);
      response.resume();
    });
    request.on('error', () => {});
    request.end(JSON.stringify(asked));
    return request;
  };
  const held = await holdEvents();
  const first = ask();
  await until(async () => (await running()) === 1);
  const leaving = many(PLACES + 1, send);
  // All other requests wait by then.
  await until(async () => refused.length === 1);
  expect(refused).toEqual([429]);
  for (const request of leaving) request.destroy();
  await until(() => new Promise((resolve) => admin.app.server.getConnections((_, n) => resolve(n === 0))));

  const staying = many(PLACES, ask);
  await held.letGo();
  for (const each of [first, ...staying]) expect((await each).statusCode).toBe(200);
});
