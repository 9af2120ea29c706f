import { afterAll, beforeAll, expect, it } from 'vitest';
import { explain } from '../../../src/liveops/explanations/explain.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { clearOverride, setOverride } from '../../../src/liveops/players/overrides.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import { gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
let rebuilds: Pool;
beforeAll(async () => {
  harness = await createHarness();
  rebuilds = createRebuildPool(harness.databaseUrl);
});
afterAll(async () => {
  await rebuilds.end();
  await harness.close();
});

it('explains a cleared override with the last update that was served', async () => {
  const { pool, clock } = harness;
  const document = gameDocument([sku('gems')], { offers: [offer('vips', { when: 'flags.vip' })] });
  document.flags.custom = [{ flagId: 'vip', name: 'VIP', rule: null, defaultValue: false }];
  await publish(pool, document, clock.now());
  const { rows } = await pool.query<{ id: number }>('select id from games');
  const gameId = rows[0]?.id ?? 0;
  const session = await harness.login('vip');
  const place = { gameId, userId: session.userId, flagId: 'vip' };
  const served: { atMs: number; body: string; lastUpdate: number }[] = [];
  const look = async () => {
    const response = await get(harness.app, '/v1/player/store_configs', session);
    const lastUpdate = response.json<{ lastUpdatedTimestamp: number }>().lastUpdatedTimestamp;
    served.push({ atMs: clock.now(), body: response.body, lastUpdate });
  };

  clock.advance(1000);
  const setAt = clock.now();
  const actor = () => ({ name: 'test', nowMs: clock.now() });
  await setOverride(pool, { ...place, value: true, reason: 'test', until: null }, actor());
  clock.advance(1000);
  await look();
  clock.advance(1000);
  const clearedAt = clock.now();
  await clearOverride(pool, place, actor());
  clock.advance(1000);
  await look();
  expect(served.map(({ lastUpdate }) => lastUpdate)).toEqual([setAt, clearedAt]);

  clock.advance(1000);
  const semaphore = { take: <T>(work: () => Promise<T>) => work() };
  for (const { atMs, body } of served) {
    const asked = { gameId, player: { userId: session.userId }, atMs };
    const outcome = await explain({ pool, clock, rebuilds, semaphore }, asked);
    if (outcome.outcome !== 'explained') throw new Error(outcome.outcome);
    expect(outcome.explanation).toMatchObject({ source: 'stored events', decision: { storeText: body } });
  }
});
