import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dryRunLines } from '../../../src/liveops/cli/dry-run-table.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { configWith, segment } from '../../decide/support/fixtures.js';
import { runCommand } from '../../support/command.js';
import { createGameWorld, DAY_MS, type GameWorld, type TestPlayer } from '../../support/game-world.js';

const NOW = Date.now();

describe('savepoint config dry-run', () => {
  let world: GameWorld;
  let folder: string;
  let players: TestPlayer[];
  beforeAll(async () => {
    world = await createGameWorld();
    folder = await mkdtemp(join(tmpdir(), 'savepoint-dry-run-'));
    const gameId = await world.addGame('game');
    players = await world.addPlayers(gameId, [NOW, NOW - 3 * DAY_MS, NOW - 20 * DAY_MS, NOW - 90 * DAY_MS]);
    const document = configWith({ segments: [segment('new', 'daysSinceFirstSeen < 1')] });
    await publishConfig(world.pool, { gameId, document, note: '' }, { name: 'test', nowMs: NOW });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await world.close();
  });
  const run = (...args: string[]) =>
    runCommand(world.url, 'config', 'dry-run', '--tenant', world.tenant, '--game', 'game', ...args);

  it('prints who would enter and leave', async () => {
    const file = join(folder, 'document.json');
    await writeFile(
      file,
      JSON.stringify(
        configWith({
          segments: [segment('new', 'daysSinceFirstSeen < 7'), segment('bad', '1 / purchases.total > 0')],
        }),
      ),
    );
    const { out, code } = await run('--file', file);
    expect(code).toBe(0);
    expect(out).toMatch(/^All 4 players, at .*Z, in \d+\.\d s\.$/m);
    expect(out).toMatch(/^new +1 +2 +1 +0 +1 +0$/m);
    expect(out).toContain(`  enter new: ${players[1]?.userId}\n`);
    expect(out).toContain('The rule of segment:bad fails for 4 of the players examined (0 as published).');

    const sampled = await run('--file', file, '--sample', '2');
    expect(sampled.out).toMatch(/^A sample of 2 of 4 players: the numbers are estimates/);
  });

  it('decides for a later moment', async () => {
    const at = new Date(NOW + 2 * DAY_MS).toISOString();
    const { out } = await run('--at', at);
    expect(out).toContain(`All 4 players, at ${at}, in`);
    expect(out).toMatch(/^new +0 +0 +0 +0 +0 +0$/m);
  });

  it('takes the draft if nothing else is named, or an older version', async () => {
    expect((await run()).out).toMatch(/^new +1 +1 +0 +0 +1 +0$/m);
    expect((await run('--config-version', '0')).out).toMatch(/^new_player +0 +2 +2 +0 +0 +0$/m);
  });

  it.each([
    [['--config-version', '9'], 'There is no version 9; the one in force is 1.'],
    [['--sample', '0'], '--sample is "0": give a number of players'],
    [['--at', '2020-01-01T00:00:00Z'], '--at is "2020-01-01T00:00:00Z": give a time in the future'],
    [['--at', 'soon'], '--at is "soon"'],
    [['--file', 'a', '--config-version', '1'], 'Give --file or --config-version, not both.'],
  ])('says what is wrong with %j', async (args, sentence) => {
    expect(await run(...args)).toMatchObject({ code: 1, out: '', errors: expect.stringContaining(sentence) });
  });

  it('refuses a document that cannot be published', async () => {
    const file = join(folder, 'broken.json');
    await writeFile(file, JSON.stringify(configWith({ segments: [segment('a', 'purchase.total > 1')] })));
    const { code, errors } = await run('--file', file);
    expect(code).toBe(1);
    expect(errors).toContain(
      '(/segments/0/rule, line 1, column 1 of the rule): There is no attribute "purchase"',
    );
  });
});

it('a dry run reads as tables', () => {
  const REPORTED = { currency: 'USD', share: 0.125, missing: ['CHF'] };
  const effect = (before: number, after: number, stay: number, share: number) => ({
    counts: { before, after, enter: after - stay, leave: before - stay, stay, payers: 3 },
    estimate: null,
    revenueShare: { EUR: share, USD: 1 },
    reportedRevenueShare: null,
    examples: { enter: after > stay ? ['u1', 'u2'] : [], leave: [] },
  });
  expect(
    dryRunLines({
      players: 12_000,
      examined: 12_000,
      sampled: false,
      at: '2026-11-15T12:00:00.000Z',
      seconds: 1.25,
      segments: [
        { segmentId: 'payer', ...effect(1000, 1200, 900, 0.25) },
        { segmentId: 'all', ...effect(12_000, 12_000, 12_000, 1) },
      ],
      offers: [],
      flags: [{ flagId: 'isPayer', ...effect(5, 5, 5, 0), reportedRevenueShare: REPORTED }],
      values: [],
      experiments: [],
      prices: [
        {
          skuId: 'gems',
          players: 1_200,
          estimate: null,
          from: { currency: 'USD', price: '4.99' },
          to: null,
        },
      ],
      ruleErrors: [],
      priced: { players: 1_200, payLess: 0, payMore: 0 },
      later: [
        {
          at: '2026-11-21T00:00:00.000Z',
          begins: ['offer:weekend'],
          ends: [],
          examined: 12_000,
          sampled: false,
          segments: [],
          flags: [],
          values: [],
          experiments: [],
          ruleErrors: [],
          offers: [{ offerId: 'weekend', ...effect(0, 12_000, 0, 1) }],
          prices: [
            {
              skuId: 'gems',
              players: 12_000,
              estimate: null,
              from: { currency: 'USD', price: '4.99' },
              to: { currency: 'USD', price: '3.49' },
            },
          ],
          priced: { players: 12_000, payLess: 12_000, payMore: 0 },
        },
        {
          at: '2026-11-23T00:00:00.000Z',
          begins: [],
          ends: ['offer:weekend'],
          examined: 12_000,
          sampled: false,
          segments: [],
          flags: [],
          values: [],
          experiments: [],
          ruleErrors: [],
          offers: [],
          prices: [],
          priced: { players: 0, payLess: 0, payMore: 0 },
        },
      ],
      leftOut: { instants: 3, firstAt: '2027-01-01T00:00:00.000Z' },
      notes: ['Fewer players were examined.'],
    }),
  ).toEqual([
    'All 12,000 players, at 2026-11-15T12:00:00.000Z, in 1.3 s.',
    '',
    'segment  before   after  enter  leave    stay  payers  revenue',
    'payer     1,000   1,200    300    100     900       3  25.0% EUR, 100.0% USD',
    'all      12,000  12,000      0      0  12,000       3  100.0% EUR, 100.0% USD',
    '',
    'flag     before  after  enter  leave  stay  payers  revenue',
    'isPayer       5      5      0      0     5       3  12.5% (without CHF: no rate)',
    '',
    'price of    before  after  players',
    'gems      4.99 USD      –  1,200',
    '',
    'Some of those who',
    '  enter payer: u1 u2',
    '',
    'From Sat 21 Nov 2026, 00:00 UTC (offer:weekend begins): 12,000 players see other prices, 12,000 pay less, 0 pay more.',
    '',
    'offer    before   after   enter  leave  stay  payers  revenue',
    'weekend       0  12,000  12,000      0     0       3  100.0% EUR, 100.0% USD',
    '',
    'price of    before     after  players',
    'gems      4.99 USD  3.49 USD  12,000',
    '',
    'Some of those who',
    '  enter weekend: u1 u2',
    '',
    'From Mon 23 Nov 2026, 00:00 UTC (offer:weekend ends): no player sees a difference.',
    '',
    '3 more times at which something begins or ends were not looked at, the first at 2027-01-01T00:00:00.000Z. --at decides for one of them.',
    'Fewer players were examined.',
  ]);
});
