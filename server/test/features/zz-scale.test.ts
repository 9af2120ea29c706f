import { afterAll, beforeAll, it } from 'vitest';
import { deleteExpiredFailedEvents } from '../../src/features/failed-events/expiry.js';
import { failedEvent } from '../../src/features/failed-events/failed-event.js';
import { listFailedEvents, listFailedGroups } from '../../src/features/failed-events/failed-event-queries.js';
import { insertFailedEvents } from '../../src/features/failed-events/inbox-queries.js';
import { replayFailedGroup } from '../../src/features/failed-events/replay.js';
import { createHarness, type Harness, postEvents } from '../support/harness.js';
import { demoGameId } from '../support/registry-calls.js';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());
const time = async <T>(name: string, f: () => Promise<T>) => {
  const t = performance.now();
  const r = await f();
  process.stdout.write(`${name}: ${(performance.now() - t).toFixed(1)} ms\n`);
  return r;
};
it('scale', { timeout: 600_000 }, async () => {
  const s = await h.login('s');
  const gameId = await demoGameId(h.pool);
  const { rows } = await h.pool.query('select id from players where user_id=$1', [s.userId]);
  const c = await h.pool.connect();
  await c.query('set statement_timeout = 0');
  const now = new Date(h.clock.now());
  await c.query({
    text: `insert into players (game_id, user_id, created_at) select $1, gen_random_uuid(), now() from generate_series(1,1000)`,
    values: [gameId],
    query_timeout: 600000,
  } as never);
  await time('fill', () =>
    c.query({
      text: `insert into failed_events (game_id, player_id, fingerprint, code, message, event_type, raw, received_at)
    select $1, $2::bigint + n % 1000, gen_random_uuid(), case n % 3 when 0 then 'payload_invalid' else 'schema_mismatch' end, 'm', 'Type' || n % 20,
    '{"eventType":"Type' || n % 20 || '","timestamp":"2026-11-15T00:00:00.000Z","payload":{"n":' || n || ',"x":"' || repeat('x', 200) || '"}}', $3
    from generate_series(1, 1000000) n`,
      values: [gameId, rows[0].id, now],
      query_timeout: 600000,
    } as never),
  );
  await c.query(
    'insert into failed_event_totals select game_id, count(*), sum(octet_length(raw)) from failed_events group by 1',
  );
  await time('analyze', () =>
    c.query({ text: 'vacuum analyze failed_events', query_timeout: 600000 } as never),
  );
  c.release();
  await time('groups', () => listFailedGroups(h.pool, gameId));
  await time('groups all', () => listFailedGroups(h.pool));
  await time('page', () =>
    listFailedEvents(h.pool, { gameId, code: 'schema_mismatch', eventType: 'Type1' }, { limit: 50 }),
  );
  await time('page none', () =>
    listFailedEvents(h.pool, { gameId, code: 'schema_mismatch', eventType: 'Nope' }, { limit: 50 }),
  );
  const f = (from: number) =>
    Array.from({ length: 500 }, (_, n) =>
      failedEvent({
        code: 'event_invalid',
        message: 'm',
        path: '',
        ordinal: 0,
        eventType: null,
        raw: `x${from + n}`,
      }),
    );
  const limits = { maxEntries: 2e6, maxBytes: 2e9, maxEntriesOfPlayer: 10_000 };
  for (let i = 0; i < 3; i++)
    await time('insert 500', () =>
      insertFailedEvents(
        h.pool,
        [{ userId: s.userId, receivedAtMs: h.clock.now(), clientBuild: null, failures: f(i * 500) }],
        limits,
      ),
    );
  await time('insert 500 again', () =>
    insertFailedEvents(
      h.pool,
      [{ userId: s.userId, receivedAtMs: h.clock.now(), clientBuild: null, failures: f(0) }],
      limits,
    ),
  );
  await time('replay group of 33k', () =>
    replayFailedGroup(
      { pool: h.ctx.pool, registries: h.ctx.registries },
      { gameId, code: 'schema_mismatch', eventType: 'Type1' },
      { nowMs: h.clock.now(), onProgress: () => {} },
    ),
  );
  const bad = Array.from({ length: 500 }, (_, n) => ({ eventType: 'A', timestamp: 'x', payload: { n } }));
  for (let i = 0; i < 3; i++)
    await time('POST 500 bad', () =>
      postEvents(
        h.app,
        s,
        bad.map((b) => ({ ...b, i })),
      ),
    );
  await time('delete 1M', () => deleteExpiredFailedEvents(h.pool, h.clock.now() + 40 * 86_400_000));
});
