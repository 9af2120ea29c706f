import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertTenant } from '../../../src/platform/admin-api/tenants.js';
import { configWith, offer, segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, publish } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

/** Three pages of players. */
const PLAYERS = 10_400;
const document = configWith({
  segments: [segment('all', 'true'), segment('winners', 'events["Win"].last7d > 0')],
});

let harness: Harness;
let admin: AdminClient;
let logged: string[];
beforeAll(async () => {
  harness = await createHarness();
  logged = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  admin = await openAdminClient(harness, pino({ level: 'error' }, sink));
  await harness.pool.query(
    `insert into players (game_id, user_id, created_at, last_event_at)
     select g.id, gen_random_uuid(), $1, $1 from games g, generate_series(1, $2::int) where g.slug = 'demo-game'`,
    [new Date(harness.clock.now()), PLAYERS],
  );
  await publish(harness.pool, configWith({ segments: [segment('gone', 'true')] }), harness.clock.now());
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Line = { progress?: unknown; result?: Record<string, never>; error?: { code: string; message: string } };
const linesOf = (body: string): Line[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const post = (body?: unknown, token: string | null = admin.tokens.viewer) =>
  admin.call('POST', `${GAME}/dry-run`, body, token);

/** Locks a table on a separate connection, until it is released. */
async function holdTable(table: 'player_days') {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${client.escapeIdentifier(table)} in access exclusive mode`);
  return { letGo: () => client.end() };
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether this many statements wait for a lock in this database. */
async function isWaiting(many = 1): Promise<boolean> {
  const { rowCount } = await harness.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount === many;
}

/** Sends a request and reads the beginning of its response. */
function firstLine(port: number, body: string): Promise<{ request: ClientRequest; line: string }> {
  return new Promise((resolve, reject) => {
    const path = `/admin/v1${GAME}/dry-run`;
    const headers = { authorization: `Bearer ${admin.tokens.viewer}`, 'content-type': 'application/json' };
    const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response.once('data', (chunk) => resolve({ request, line: String(chunk) }));
      response.once('error', () => {});
    });
    request.once('error', reject);
    request.end(body);
  });
}

describe('a dry run', () => {
  it('responds with lines: progress, then the result', async () => {
    const response = await post({ document });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    const lines = linesOf(response.body);
    expect(lines[0]).toEqual({ progress: { examined: 0, total: PLAYERS } });
    expect(lines.slice(1, -1).every(({ progress }) => progress !== undefined)).toBe(true);
    expect(lines.at(-1)?.result).toMatchObject({
      players: PLAYERS,
      examined: PLAYERS,
      sampled: false,
      at: new Date(harness.clock.now()).toISOString(),
      segments: [
        { segmentId: 'all', counts: { before: 0, after: PLAYERS, enter: PLAYERS } },
        { segmentId: 'winners', counts: { after: 0 } },
        { segmentId: 'gone', counts: { before: PLAYERS, leave: PLAYERS } },
      ],
    });
  });

  it('of a draft without changes shows no change; of a version it does', async () => {
    for (const body of [undefined, null, {}]) {
      const [last] = linesOf((await post(body)).body).slice(-1);
      expect(last?.result).toMatchObject({
        segments: [{ segmentId: 'gone', counts: { enter: 0, leave: 0 } }],
      });
    }
    const [last] = linesOf((await post({ version: 0, sample: 100 })).body).slice(-1);
    expect(last?.result).toMatchObject({ examined: 100, sampled: true });
    expect(last?.result?.segments).toContainEqual(
      expect.objectContaining({
        segmentId: 'new_player',
        counts: expect.objectContaining({ enter: 100 }),
        estimate: expect.objectContaining({ enter: PLAYERS }),
      }),
    );
  });

  it('is refused at once for a document that cannot be published', async () => {
    const broken = { ...document, segments: [segment('a', 'purchase.total > 1')] };
    const response = await post({ document: broken });
    expectGeneralError(response, 422, 'document_invalid');
    expect(response.json().error.problems).toMatchObject([{ pointer: '/segments/0/rule' }]);
    expectGeneralError(await post({ document: 5 }), 422, 'document_invalid');
    expectGeneralError(await post({ version: 99 }), 404, 'version_not_found');
    expectGeneralError(await post({ version: 1, document }), 400, 'body_invalid');
    for (const sample of [0, -1, 1.5, '10', null])
      expectGeneralError(await post({ sample }), 400, 'body_invalid');
  });

  it('evaluates a later instant: an offer that begins tomorrow applies then', async () => {
    const tomorrow = new Date(harness.clock.now() + 86_400_000).toISOString();
    const announced = configWith({ ...document, offers: [offer('tomorrow', { from: tomorrow })] });
    const entering = async (at?: string) => {
      const [last] = linesOf((await post({ document: announced, ...(at && { at }) })).body).slice(-1);
      return last?.result;
    };
    expect(await entering()).toMatchObject({
      offers: [{ counts: { enter: 0 } }],
      later: [{ at: tomorrow, begins: ['offer:tomorrow'], offers: [{ counts: { enter: PLAYERS } }] }],
      leftOut: null,
    });
    expect(await entering(tomorrow)).toMatchObject({
      at: tomorrow,
      offers: [{ counts: { enter: PLAYERS } }],
      later: [],
    });
    const [last] = linesOf((await post({ document: announced, later: false })).body).slice(-1);
    expect(last?.result).toMatchObject({ later: [] });
    const past = new Date(harness.clock.now() - 1).toISOString();
    for (const at of [past, 'tomorrow', 5, null]) {
      expectGeneralError(await post({ document, at }), 400, 'body_invalid');
    }
  });

  it('is refused without a role in the studio of the game', async () => {
    expect((await post({}, null)).statusCode).toBe(401);
    await insertTenant(harness.pool, 'other-studio', 'Other');
    const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await post({ document }, stranger), 404, 'game_not_found');
  });

  it('runs alone: a second request gets busy', async () => {
    const held = await holdTable('player_days');
    const first = post({ document });
    await until(() => isWaiting());
    const second = await post({ document });
    expectGeneralError(second, 429, 'busy');
    await held.letGo();
    expect(linesOf((await first).body).at(-1)).toHaveProperty('result');
    expect((await post({ document })).statusCode).toBe(200);
  });
});

describe('dry runs of several studios', () => {
  it('run side by side, up to the limit of the node', async () => {
    const others: ((body: unknown) => ReturnType<typeof post>)[] = [];
    for (const name of ['b', 'c']) {
      const studio = await addStudio(harness, `studio-${name}`, `game-${name}`);
      await studio.login(`device-${name}`);
      const token = await admin.addToken('viewer', { tenant: studio.tenant });
      others.push((body) => admin.call('POST', `/games/${studio.game}/dry-run`, body, token));
    }
    const [ofB, ofC] = others;
    const held = await holdTable('player_days');
    const running = [post({ document }), ofB?.({ document })];
    await until(() => isWaiting(2));
    for (const ask of [post, ofB, ofC]) {
      const refused = await ask?.({ document });
      expect(refused?.headers['retry-after']).toBe('10');
      expectGeneralError(refused as NonNullable<typeof refused>, 429, 'busy');
    }
    await held.letGo();
    for (const each of running) expect(linesOf((await each)?.body ?? '').at(-1)).toHaveProperty('result');
    expect((await ofC?.({ document }))?.statusCode).toBe(200);
  });
});

it('a dry run that needs too many facts about a player fails with a message', async () => {
  const rule = (n: number) =>
    Array.from({ length: 10 }, (_, k) => `events["${n}_${k}"].total > 0`).join(' || ');
  const greedy = configWith({ segments: Array.from({ length: 170 }, (_, n) => segment(`s${n}`, rule(n))) });
  const [last] = linesOf((await post({ document: greedy })).body).slice(-1);
  expect(last).toEqual({
    error: { code: 'document_invalid', message: expect.stringContaining('a dry run can read 1600.') },
  });
  expect(logged).toEqual([]);
});

describe('a dry run in which the last player cannot be read', () => {
  beforeAll(async () => {
    await harness.pool.query(
      `insert into player_days (player_id, day, events, event_counts)
       select max(p.id), $1::date, 1, '{"Win": "many"}'
       from players p join games g on g.id = p.game_id where g.slug = 'demo-game'`,
      [new Date(harness.clock.now())],
    );
  });

  it('ends with an error without details, and logs it', async () => {
    const response = await post({ document });
    expect(response.statusCode).toBe(200);
    const lines = linesOf(response.body);
    expect(lines[0]).toHaveProperty('progress');
    expect(lines.at(-1)).toEqual({
      error: { code: 'internal', message: expect.stringMatching(/^Something/) },
    });
    expect(logged.join('')).toContain('a dry run failed');
  });

  it('stops before that player if the client disconnects', async () => {
    await admin.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = admin.app.server.address() as AddressInfo;
    logged.length = 0;
    const held = await holdTable('player_days');
    const leaving = await firstLine(port, JSON.stringify({ document }));
    expect(leaving.line).toContain('"examined":0');
    await until(() => isWaiting());
    leaving.request.destroy();
    await until(() => new Promise((resolve) => admin.app.server.getConnections((_, n) => resolve(n === 0))));
    await held.letGo();
    // The run has ended when another one can begin.
    await until(async () => (await post({ document: configWith(), sample: 1 })).statusCode === 200);
    expect(logged).toEqual([]);
  });
});
