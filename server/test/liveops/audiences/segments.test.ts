import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offer, segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Segment = { segmentId: string; size: Record<string, number> | null; usedBy: unknown } & Record<
  string,
  unknown
>;
type Segments = {
  version: number;
  segments: Segment[];
  players: number;
  examined: number;
  isSampled: boolean;
  countedAt: string;
  days: { day: string; players: number; sizes: Record<string, number> }[];
};

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  for (const n of [0, 1, 2, 3]) {
    const session = await harness.login(`device-${n}`);
    const timestamp = new Date(harness.clock.now()).toISOString();
    const payload = { transactionId: `t${n}`, price: '1', currency: 'USD' };
    const events = [{ eventType: n === 0 ? 'Purchase' : 'Win', timestamp, payload }];
    expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
  }
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ask = () => admin.ask<Segments>('GET', `${GAME}/segments`, undefined, admin.tokens.viewer);

describe('the segments of a game', () => {
  it('are listed with their sizes and uses', async () => {
    const document = gameDocument([], {
      segments: [
        segment('all', 'true'),
        segment('payer', 'purchases.total > 0'),
        segment('lucky', 'events["Win"].total > 0 && !("payer" in segments)'),
        segment('nobody', 'false'),
      ],
      offers: [
        offer('sale', { when: '"lucky" in segments' }),
        offer('gift', { when: '"payer" in segments' }),
      ],
    });
    const custom = [{ flagId: 'vip', name: 'VIP', rule: '"payer" in segments', defaultValue: false }];
    const flags = { ...document.flags, custom };
    const version = await publish(harness.pool, { ...document, flags }, harness.clock.now());
    const { segments, ...rest } = await ask();
    expect(rest).toEqual({
      version,
      players: 4,
      examined: 4,
      isSampled: false,
      countedAt: new Date(harness.clock.now()).toISOString(),
      days: [
        {
          day: new Date(harness.clock.now()).toISOString().slice(0, 10),
          version,
          players: 4,
          sizes: { all: 4, payer: 1, lucky: 3, nobody: 0 },
        },
      ],
    });
    expect(segments.map(({ segmentId, size }) => [segmentId, size])).toEqual([
      ['all', { players: 4, payers: 1, share: 1 }],
      ['payer', { players: 1, payers: 1, share: 0.25 }],
      ['lucky', { players: 3, payers: 0, share: 0.75 }],
      ['nobody', { players: 0, payers: 0, share: 0 }],
    ]);
    expect(segments.map(({ usedBy }) => usedBy)).toEqual([
      { segments: [], flags: [], offers: [] },
      { segments: ['lucky'], flags: ['vip'], offers: ['gift'] },
      { segments: [], flags: [], offers: ['sale'] },
      { segments: [], flags: [], offers: [] },
    ]);
    expect(segments[1]).toMatchObject({
      name: document.segments[1]?.name,
      rule: 'purchases.total > 0',
      // The default document has a segment with this id and another name.
      segmentVersion: 2,
      visibleToClients: document.segments[1]?.visibleToClients,
      priority: document.segments[1]?.priority,
    });
  });

  it('are counted once per minute, and again for another version', async () => {
    const before = await ask();
    await harness.login('newcomer');
    expect((await ask()).players).toBe(before.players);
    // A count that took long is kept for longer, for an hour at most.
    harness.clock.advance(3_600_000);
    expect((await ask()).players).toBe(before.players + 1);
    await harness.login('another');
    const document = gameDocument([], { segments: [segment('all', 'true')] });
    await publish(harness.pool, document, harness.clock.now());
    expect(await ask()).toMatchObject({ players: before.players + 2, segments: [{ segmentId: 'all' }] });
  });

  it('are estimated from a sample if there are many players', async () => {
    await harness.pool.query(
      `insert into players (game_id, user_id, created_at, purchase_count, last_purchase_at)
       select g.id, gen_random_uuid(), $1, case when n % 4 = 0 then 1 else 0 end, case when n % 4 = 0 then $1::timestamptz end
       from games g, generate_series(1, 40000) n where g.slug = 'demo-game'`,
      [new Date(harness.clock.now())],
    );
    const document = gameDocument([], { segments: [segment('payer', 'purchases.total > 0')] });
    await publish(harness.pool, document, harness.clock.now());
    const { segments, players, examined, isSampled } = await ask();
    expect({ examined, isSampled }).toEqual({ examined: 20_000, isSampled: true });
    expect(players).toBeGreaterThan(40_000);
    expect(Math.abs((segments[0]?.size?.players ?? 0) - 10_000)).toBeLessThan(500);
  });

  it('are refused for a game of another studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const refused = await admin.call('GET', `${GAME}/segments`, undefined, token);
    expectGeneralError(refused, 404, 'game_not_found');
    const own = await admin.ask<Segments>('GET', '/games/other-game/segments', undefined, token);
    expect(own).toMatchObject({ version: 0, players: 0, examined: 0, isSampled: false });
    expect((await admin.call('GET', `${GAME}/segments`, undefined, null)).statusCode).toBe(401);
  });
});
