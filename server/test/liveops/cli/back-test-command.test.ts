import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackTestResult } from '../../../src/liveops/back-tests/back-test-report.js';
import { CANNOT_KNOW } from '../../../src/liveops/back-tests/cannot-know.js';
import { backTestLines } from '../../../src/liveops/cli/back-test-table.js';
import { runCommand } from '../../support/command.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

const NO_EFFECTS = {
  flags: [],
  segments: [],
  offers: [],
  values: [],
  experiments: [],
  prices: [],
  priced: { players: 40, payLess: 30, payMore: 10 },
  ruleErrors: [],
};
const MATCHES = { players: { before: 120, after: 1_500 }, playerDays: { before: 410, after: 5_200 } };
const RESULT: BackTestResult = {
  players: 4_000,
  examined: 1_000,
  sampled: true,
  from: '2026-11-01',
  to: '2026-11-02',
  playerDays: 5_120,
  seconds: 31.4,
  completeSince: null,
  flags: [{ flagId: 'isPayer', ...MATCHES }],
  segments: [],
  offers: [{ offerId: 'starter', ...MATCHES }],
  values: [],
  experiments: [],
  days: [{ day: '2026-11-01', version: 7, players: 360, ...NO_EFFECTS }],
  purchases: {
    count: 42,
    notCounted: 0,
    skus: [
      {
        skuId: 'gems',
        currency: 'USD',
        purchases: 42,
        paid: '210.00',
        same: 30,
        lower: 10,
        higher: 0,
        notInStore: 2,
        otherCurrency: 0,
        comparedPaid: '200.00',
        comparedPrice: '180.00',
      },
    ],
  },
  cannotKnow: CANNOT_KNOW,
};

describe('a back-test on a terminal', () => {
  it('has tables, and below each what it does not say', () => {
    const text = backTestLines(RESULT).join('\n');
    expect(text).toContain('From 2026-11-01 to 2026-11-02. A sample of 1,000 of 4,000 players');
    expect(text).toMatch(/^starter +120 +1,500 +410 +5,200$/m);
    expect(text).toMatch(/^2026-11-01 +7 +360 +40 +30 +10$/m);
    expect(text).toMatch(/^gems +42 +30 +10 +0 +2 +0 +200\.00 USD +180\.00 USD$/m);
    for (const sentence of Object.values(CANNOT_KNOW)) expect(text).toContain(sentence);
  });

  it('names what is missing, and says when nothing was bought', () => {
    const purchases = { count: 0, notCounted: 0, skus: [] };
    const text = backTestLines({ ...RESULT, sampled: false, completeSince: '2026-10-20', purchases }).join(
      '\n',
    );
    expect(text).toContain('All 4,000 players who were here since then');
    expect(text).toContain('Events before 2026-10-20 are deleted');
    expect(text).toContain('bought nothing in these days');
  });
});

describe('savepoint config back-test', () => {
  let world: GameWorld;
  beforeAll(async () => {
    world = await createGameWorld();
    await world.addGame('game');
  });
  afterAll(() => world.close());
  const run = (...args: string[]) =>
    runCommand(world.url, 'config', 'back-test', '--tenant', world.tenant, '--game', 'game', ...args);

  it('prints everything as JSON', async () => {
    const { out, code } = await run('--json', '--days', '3');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      players: 0,
      examined: 0,
      days: [{}, {}, {}],
      cannotKnow: CANNOT_KNOW,
    });
  });

  it.each([
    [['--days', '29'], '--days is "29": give a number from 1 to 28.'],
    [['--days', 'x'], '--days is "x": give a number from 1 to 28.'],
    [['--sample', '100001'], '--sample is "100001": at most 100000.'],
    [['--file', 'a.json', '--config-version', '1'], 'Give --file or --config-version, not both.'],
  ])('refuses %j', async (args, sentence) => {
    const { errors, code } = await run(...args);
    expect(code).not.toBe(0);
    expect(errors).toContain(sentence);
  });
});
