import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countDailySizes } from '../../../src/liveops/audiences/count-daily-sizes.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { DAY_MS, utcDay } from '../../../src/platform/lib/day.js';
import { segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, publish } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Days = { days: { day: string; players: number; sizes: Record<string, number> }[] };

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  const document = gameDocument([], { segments: [segment('all', 'true')] });
  await publish(harness.pool, document, harness.clock.now());
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ask = (path = GAME, token = admin.tokens.viewer) =>
  admin.ask<Days>('GET', `${path}/segments`, undefined, token);
const count = (signal = new AbortController().signal) =>
  withDedicatedConnection(harness.pool, (connection) =>
    countDailySizes(harness.pool, connection, harness.clock.now(), signal),
  );

describe('the trend of segments', () => {
  it('has the last count of each day, by requests and by maintenance', async () => {
    const firstDay = utcDay(harness.clock.now());
    await harness.login('one');
    expect((await ask()).days).toEqual([
      { day: firstDay, version: expect.any(Number), players: 1, sizes: { all: 1 } },
    ]);
    // A request has counted today already.
    expect(await count()).toBe(0);

    await harness.login('two');
    harness.clock.advance(DAY_MS);
    expect(await count(AbortSignal.abort())).toBe(0);
    expect(await count()).toBe(1);
    expect(await count()).toBe(0);
    await harness.login('three');
    const { days } = await ask();
    expect(days.map(({ sizes }) => sizes.all)).toEqual([1, 3]);
    expect(days.map(({ day }) => day)).toEqual([firstDay, utcDay(harness.clock.now())]);
  });

  it('shows a month, and counts are deleted after a year', async () => {
    harness.clock.advance(31 * DAY_MS);
    expect((await ask()).days).toHaveLength(1);
    harness.clock.advance(400 * DAY_MS);
    await count();
    const { rows } = await harness.pool.query('select day from segment_size_days');
    expect(rows).toHaveLength(2);
  });

  it('is refused for a game of another studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const { days } = await ask('/games/other-game', token);
    expect(days.every(({ players }) => players === 0)).toBe(true);
  });
});
