/** @module-tag full */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { ATTRIBUTES } from '../../../src/decide/attributes/attributes.js';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { predictionFacts } from '../../../src/decide/attributes/player-history.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { type Artefact, PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { ALL_TRUSTED, score, toldValue } from '../../../src/decide/predict/score.js';
import { type DryRunResult, dryRun } from '../../../src/liveops/dry-runs/dry-run.js';
import { pairedDocuments } from '../../decide/support/document-arbitrary.js';
import {
  configWith,
  DAY_MS,
  experiment,
  NOW,
  offer,
  segment,
  sku,
  TODAY,
} from '../../decide/support/fixtures.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';
import { isWaitedFor } from '../../support/locks.js';
import { putInForce, trainedArtefact } from '../../support/prediction-models.js';
import { runs } from '../../support/property-runs.js';
import { expectEffects, expectedEffects, expectLaterEffects } from './dry-run-expectation.js';
import { insertPlayersOfAllKinds } from './dry-run-players.js';

const PLAYERS = 400;
/** Between the players. */
const THRESHOLDS: Record<string, number> = {
  churn: 0.6,
  spend: 0.03,
  purchases: 0.1,
  revenue: 1,
  revenue90: 4,
  payerAlive: 0.3,
};

let world: GameWorld;
let gameId: number;
let everybody: PlayerFacts[];

beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  const other = await world.addGame('other');
  // The ids of players of another game are between those of this game.
  const ids: string[] = [];
  for (const seed of [1, 2, 3, 4]) {
    ids.push(...(await insertPlayersOfAllKinds(world.pool, gameId, PLAYERS / 4, seed)));
    await insertPlayersOfAllKinds(world.pool, other, 10, seed + 10);
  }
  const readings = await findFacts(world.pool, ids, NOW);
  everybody = readings.sort((a, b) => Number(a.playerId) - Number(b.playerId)).map(({ facts }) => facts);
});
afterAll(() => world.close());

async function run(
  before: ConfigDocument,
  after: ConfigDocument,
  options: { sample?: number; isWithLater?: boolean } = {},
): Promise<DryRunResult> {
  const outcome = await dryRun(world.pool, { gameId, before, after, nowMs: NOW, ...options });
  if (outcome.outcome !== 'done') throw new Error(outcome.outcome);
  return outcome.result;
}

/** A churn model that uses all facts about a player. */
function everyFeatureCounts(artefact: Artefact): Artefact {
  const { activity } = artefact.models;
  if (activity.state !== 'ready' || activity.logistic === null) throw new Error('there is no regression');
  const coefficients = activity.logistic.coefficients.map((coefficient) => coefficient + 0.3);
  const logistic = { ...activity.logistic, coefficients };
  return { ...artefact, models: { ...artefact.models, activity: { ...activity, logistic } } };
}

/** A stopwatch that advances by this much with each reading. */
function ticking(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

describe('a dry run has the same result as deciding for each player', () => {
  it('for every attribute, in every window', async () => {
    const fields = (name: string) => ATTRIBUTES.find((each) => each.name === name)?.fields ?? [];
    const rules = ATTRIBUTES.flatMap(({ name, key, type }) => {
      if (key === 'flagId') return ['flags.isPayer', 'flags.beta'];
      if (key === 'segmentId') return ['segment("a0") || segment("a1")'];
      // Predictions need a model: see below.
      if (name === 'predictions') return [];
      const threshold = (path: string, of: string) => `${path} ${of === 'double' ? '>= 5.01' : '>= 2'}`;
      const keys =
        key === 'eventType' ? ['["Win"]', '["__proto__"]'] : key === 'currency' ? ['["USD"]'] : [''];
      if (type === 'string') return [`${name} != ""`];
      if (fields(name).length === 0) return [threshold(name, 'int')];
      return keys.flatMap((each) =>
        fields(name).map((field) => threshold(`${name}${each}.${field.name}`, field.type)),
      );
    });
    const custom = [{ flagId: 'beta', name: 'Beta', rule: 'sessions.total > 3', defaultValue: false }];
    const documentOf = (all: readonly string[]) =>
      configWith({
        flags: { isPayer: { payerForDays: 20 }, custom },
        segments: all.map((rule, n) => segment(`a${n}`, rule)),
      });
    const after = documentOf(rules);
    const result = await run(configWith(), after);
    expectEffects(result, configWith(), after, everybody);
    // A rule that is true of no player, or of all players, would test nothing.
    const told = result.segments.filter(({ counts }) => counts.after > 0 && counts.after < PLAYERS);
    expect(told.length).toBeGreaterThan(rules.length * 0.8);
    // Each rule alone, so that it cannot use facts that were read for another.
    for (const [n, rule] of rules.entries()) {
      if (rule.includes('segment(')) continue;
      const alone = await run(configWith({ flags: after.flags }), {
        ...documentOf([rule]),
      });
      expect(alone.segments[0]?.counts, rule).toEqual(result.segments[n]?.counts);
    }
  });

  it('for every prediction, with the models in force', async () => {
    const artefact = everyFeatureCounts(trainedArtefact());
    await putInForce(world.pool, gameId, artefact, NOW - 1000);
    const rules = ['churn', 'spend', 'purchases', 'revenue', 'revenue90', 'payerAlive'].flatMap((name) => [
      `predictions.${name}.value > ${THRESHOLDS[name]}`,
      `predictions.${name}.band == "high"`,
      `predictions.${name}.percentile >= 40`,
      `predictions.${name}.state == "ready"`,
    ]);
    // Thresholds at the values of some players, so that a wrong fact moves a player across.
    const scored = everybody.map((facts) => score(predictionFacts(facts), artefact, TODAY));
    const edges = PREDICTION_NAMES.flatMap((name) => {
      const values = [...new Set(scored.map((predictions) => toldValue(predictions[name].value)))];
      const step = Math.ceil(values.length / 12);
      return values
        .filter((_, n) => n % step === 0)
        .map((value) => `predictions.${name}.value >= double(${value})`);
    });
    const after = configWith({
      segments: [...rules, ...edges].map((rule, n) => segment(`a${n}`, rule)),
      // With a window, because the days of rules and of predictions differ.
      offers: [offer('both', { when: 'activeDays.last7d >= 1 && predictions.churn.value < 0.5' })],
    });
    const result = await run(configWith(), after);
    const models = { artefact, distrusted: ALL_TRUSTED, since: NOW - 1000 };
    expectEffects(result, configWith(), after, everybody, models);
    const told = result.segments.filter(({ counts }) => counts.after > 0 && counts.after < PLAYERS);
    // The states are the same for all players, and not all bands have players.
    expect(told.length).toBeGreaterThan(rules.length / 2);
    expect(result.offers[0]?.counts.after).toBeGreaterThan(0);
    // Each rule alone, so that it cannot use facts that were read for another.
    for (const [n, rule] of rules.entries()) {
      const alone = await run(configWith(), configWith({ segments: [segment('a', rule)] }));
      expect(alone.segments[0]?.counts, rule).toEqual(result.segments[n]?.counts);
    }
  });

  it('for any two documents', async () => {
    await fc.assert(
      fc.asyncProperty(pairedDocuments, pairedDocuments, async (before, after) => {
        expectEffects(await run(before.document, after.document), before.document, after.document, everybody);
      }),
      { numRuns: runs(12) },
    );
  });
});

describe('a dry run looks at the instants at which something begins or ends later', () => {
  const saturday = Date.parse('2026-11-21T00:00:00.000Z');
  const text = (ms: number) => new Date(ms).toISOString();
  const before = configWith({ catalogue: [sku('gems'), sku('pass')] });
  const weekend = offer('weekend', {
    effect: { price: { discountPercent: '30' } },
    from: text(saturday),
    until: text(saturday + 2 * DAY_MS),
  });

  it('−30% on everything from Saturday changes no price now, and all prices then', async () => {
    const after = configWith({ ...before, offers: [weekend] });
    const result = await run(before, after, { isWithLater: true });
    expect(result).toMatchObject({ prices: [], priced: { players: 0 }, leftOut: null });
    const [start, end] = result.later;
    expect(start).toMatchObject({
      at: text(saturday),
      begins: ['offer:weekend'],
      ends: [],
      examined: PLAYERS,
      sampled: false,
      offers: [{ offerId: 'weekend', counts: { before: 0, enter: PLAYERS } }],
      priced: { players: PLAYERS, payLess: PLAYERS, payMore: 0 },
    });
    expect(start?.prices).toEqual(
      ['gems', 'pass'].map((skuId) => ({
        skuId,
        from: { currency: 'USD', price: '10.00' },
        to: { currency: 'USD', price: '7.00' },
        players: PLAYERS,
        estimate: null,
      })),
    );
    expect(end).toMatchObject({
      at: text(saturday + 2 * DAY_MS),
      begins: [],
      ends: ['offer:weekend'],
      offers: [],
      prices: [],
      priced: { players: 0 },
    });
    expect(result.later).toHaveLength(2);
    expect((await run(before, after)).later).toEqual([]);
  });

  it('also of a scheduled offer that is taken away, and of a price that an offer hides until it ends', async () => {
    const scheduled = configWith({ ...before, offers: [weekend] });
    const [start] = (await run(scheduled, before, { isWithLater: true })).later;
    expect(start).toMatchObject({ priced: { players: PLAYERS, payLess: 0, payMore: PLAYERS } });

    const setTo = { price: { setTo: { USD: '5' } } };
    const fixed = offer('fixed', { skus: ['gems'], effect: setTo, until: text(saturday) });
    const dearer = sku('gems', { prices: { USD: { actualPrice: '12', offerPrice: '12' } } });
    const { priced, later } = await run(
      configWith({ catalogue: [sku('gems')], offers: [fixed] }),
      configWith({ catalogue: [dearer], offers: [fixed] }),
      { isWithLater: true },
    );
    expect(priced.players).toBe(0);
    expect(later).toMatchObject([{ ends: ['offer:fixed'], priced: { payMore: PLAYERS } }]);
  });

  it('with the same result as deciding for each player then', async () => {
    let instants = 0;
    await fc.assert(
      fc.asyncProperty(pairedDocuments, pairedDocuments, async ({ document: old }, { document: next }) => {
        const { later, at } = await run(old, next, { isWithLater: true });
        expect(later.map((each) => each.at)).toEqual(later.map((each) => each.at).toSorted());
        instants += later.length;
        for (const each of later) {
          expect(each.at > at).toBe(true);
          expectLaterEffects(each, old, next, everybody);
        }
      }),
      { numRuns: 15 },
    );
    expect(instants).toBeGreaterThan(0);
  });

  it('but not of documents that are the same', async () => {
    const same = configWith({ ...before, offers: [weekend] });
    expect((await run(same, same, { isWithLater: true })).later).toEqual([]);
  });

  it('of at most twelve, those of changed entries first, and says what was left out', async () => {
    const day = (n: number) => offer(`day_${n}`, { from: text(saturday + n * DAY_MS) });
    const long = configWith({ ...before, offers: Array.from({ length: 20 }, (_, n) => day(n)) });
    const changed = { ...day(17), effect: { price: { discountPercent: '50' } } };
    const after = { ...long, offers: long.offers.map((each, n) => (n === 17 ? changed : each)) };
    const { later, leftOut } = await run(long, after, { isWithLater: true });
    expect(later.flatMap(({ begins }) => begins)).toEqual(
      [...Array.from({ length: 11 }, (_, n) => n), 17].map((n) => `offer:day_${n}`),
    );
    expect(leftOut).toEqual({ instants: 8, firstAt: text(saturday + 11 * DAY_MS) });
  });

  it('and tells progress over all of them', async () => {
    const after = configWith({
      ...before,
      segments: [segment('lively', 'activeDays.last7d > 2')],
      offers: [weekend],
    });
    const seen: { examined: number; total: number }[] = [];
    await dryRun(world.pool, {
      gameId,
      before,
      after,
      nowMs: NOW,
      isWithLater: true,
      stopwatch: ticking(1),
      onProgress: (progress) => seen.push(progress),
    });
    const examined = seen.map((each) => each.examined);
    expect(examined).toEqual(examined.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ examined: PLAYERS, total: PLAYERS });
    // Two readings of the players for the two days, after that of now.
    expect(examined.filter((each) => each === Math.round(PLAYERS / 3)).length).toBeGreaterThan(0);
  });
});

describe('a dry run of a small change', () => {
  const PARTS = ['flags', 'segments', 'offers', 'store', 'catalogue'] as const;

  it('has the same result, although only changed parts are evaluated twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        pairedDocuments,
        pairedDocuments,
        fc.constantFrom(...PARTS),
        fc.nat({ max: 2 }),
        async ({ document: before }, { document: other }, part, index) => {
          const replaced = { ...before, [part]: other[part] };
          // Only one segment, so that others refer to a changed or an unchanged one.
          const segments = before.segments.map((each, n) =>
            n === index ? (other.segments[n] ?? each) : each,
          );
          // Rules of the other document may refer to a missing part: then they are never true under both.
          const after = part === 'segments' ? { ...before, segments } : replaced;
          expectEffects(await run(before, after), before, after, everybody);
        },
      ),
      { numRuns: runs(12) },
    );
  });
});

describe('a dry run', () => {
  const before = configWith({
    segments: [segment('new', 'daysSinceFirstSeen < 7'), segment('gone', 'true')],
    catalogue: [sku('gems')],
  });
  const after = configWith({
    segments: [
      segment('new', 'daysSinceFirstSeen < 20'),
      segment('bad', '1 / (purchases.total - purchases.total) == 1'),
    ],
    catalogue: [sku('gems')],
    offers: [offer('sale', { when: 'purchases.total > 0', sharePercent: 50 })],
  });

  it('counts the players of each price that changes, and of SKUs that appear or are hidden', async () => {
    const priced = (USD: string) => ({ USD: { actualPrice: USD, offerPrice: USD } });
    const old = configWith({ catalogue: [sku('gems', { prices: priced('5') }), sku('chest'), sku('pass')] });
    const next = configWith({
      catalogue: [sku('gems', { prices: priced('4') }), sku('chest'), sku('new')],
      offers: [offer('sale', { when: 'purchases.total > 0', skus: ['chest'] })],
    });
    const { prices } = await run(old, next);
    const payers = everybody.filter(({ purchaseCount }) => purchaseCount > 0).length;
    expect(payers).toBeGreaterThan(0);
    const usd = (price: string) => ({ currency: 'USD', price });
    const all = { players: PLAYERS, estimate: null };
    expect(new Set(prices)).toEqual(
      new Set([
        { skuId: 'gems', from: usd('5.00'), to: usd('4.00'), ...all },
        { skuId: 'new', from: null, to: usd('10.00'), ...all },
        { skuId: 'pass', from: usd('10.00'), to: null, ...all },
        { skuId: 'chest', from: usd('10.00'), to: usd('9.00'), players: payers, estimate: null },
      ]),
    );
    expect(prices.at(-1)?.skuId).toBe('chest');
  });

  it('counts players who enter, leave, stay and pay, and rules that fail', async () => {
    const result = await run(before, after);
    expect(result).toMatchObject({
      players: PLAYERS,
      examined: PLAYERS,
      sampled: false,
      at: new Date(NOW).toISOString(),
    });
    expect(result.segments.map(({ segmentId }) => segmentId)).toEqual(['new', 'bad', 'gone']);
    const [fresh, bad, gone] = result.segments;
    expect(fresh?.counts.enter).toBeGreaterThan(0);
    expect(fresh?.examples.enter).toHaveLength(5);
    expect(fresh?.counts).toMatchObject({ leave: 0, stay: fresh?.counts.before });
    expect(bad?.counts).toEqual({ before: 0, after: 0, enter: 0, leave: 0, stay: 0, payers: 0 });
    expect(gone?.counts).toMatchObject({ before: PLAYERS, after: 0, leave: PLAYERS });
    expect(gone?.examples.leave).toHaveLength(5);
    expect(result.ruleErrors).toEqual([{ part: 'segment:bad', before: 0, after: PLAYERS }]);
    const [sale] = result.offers;
    expect(sale?.counts.payers).toBe(sale?.counts.after);
    expect(Object.values(sale?.revenueShare ?? {}).every((share) => share > 0.1 && share < 0.9)).toBe(true);
  });

  it('examines a sample of exactly the given size, the same in every run, and estimates the rest', async () => {
    for (const sample of [1, 7, 100, 399]) {
      const result = await run(before, after, { sample });
      expect(result).toMatchObject({ players: PLAYERS, examined: sample, sampled: true });
      const gone = result.segments.find(({ segmentId }) => segmentId === 'gone');
      expect(gone?.counts.leave).toBe(sample);
      expect(gone?.estimate).toMatchObject({ before: PLAYERS, leave: PLAYERS, after: 0 });
      expect(await run(before, after, { sample })).toEqual({ ...result, seconds: expect.any(Number) });
    }
    expect(await run(before, after, { sample: PLAYERS })).toMatchObject({
      sampled: false,
      segments: [{ estimate: null }, {}, {}],
    });
    // Spread evenly: every fourth player.
    const quarter = await run(before, after, { sample: 100 });
    const chosen = everybody.filter((_, place) => place % 4 === 3);
    const { effectOf } = expectedEffects(before, after, chosen);
    const [fresh] = quarter.segments;
    expect(fresh?.counts).toEqual(effectOf('segments', 'new').counts);
    expect(fresh?.estimate?.after).toBe((fresh?.counts.after ?? 0) * 4);
  });

  it('of a game without players has no players', async () => {
    const empty = await world.addGame('empty');
    const outcome = await dryRun(world.pool, { gameId: empty, before, after, nowMs: NOW });
    expect(outcome).toMatchObject({ outcome: 'done', result: { players: 0, examined: 0, sampled: false } });
  });

  it('says which experiments nothing reads', async () => {
    const read = configWith({
      experiments: [experiment('read'), experiment('unread')],
      segments: [segment('treated', 'experiment("read") == "b"')],
    });
    expect((await run(configWith(), read)).notes).toEqual([
      'Nothing reads experiment unread: no rule asks for experiment("unread"), so nobody can be exposed.',
    ]);
  });

  it('can be interrupted inside of a statement', async () => {
    const blocking = await world.pool.connect();
    await blocking.query('begin');
    await blocking.query('lock table players');
    const stopping = new AbortController();
    const running = dryRun(world.pool, { gameId, before, after, nowMs: NOW, signal: stopping.signal });
    await expect.poll(() => isWaitedFor(world.pool, 'players')).toBe(true);
    stopping.abort();
    expect(await running).toEqual({ outcome: 'interrupted' });
    await blocking.query('rollback');
    blocking.release();
  });

  it('reports progress, lets other work run, and can be interrupted', async () => {
    const seen: { examined: number; total: number }[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await dryRun(world.pool, {
      gameId,
      before,
      after,
      nowMs: NOW,
      stopwatch: ticking(1 / 16),
      onProgress: (progress) => seen.push(progress),
    });
    clearInterval(timer);
    expect(seen[0]).toEqual({ examined: 0, total: PLAYERS });
    expect(seen.at(-1)).toEqual({ examined: PLAYERS, total: PLAYERS });
    // 8 ms are 128 readings of the stopwatch.
    expect(seen.map(({ examined }) => examined)).toEqual([0, 128, 256, 384, 400]);
    expect(turns).toBeGreaterThan(0);

    const stopping = new AbortController();
    const outcome = await dryRun(world.pool, {
      gameId,
      before,
      after,
      nowMs: NOW,
      signal: stopping.signal,
      stopwatch: ticking(1),
      onProgress: ({ examined }) => {
        if (examined > 0) stopping.abort();
      },
    });
    expect(outcome).toEqual({ outcome: 'interrupted' });
    const { rows } = await world.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    expect(rows[0]?.n).toBe(0);
  });
});

describe('a dry run gives way', () => {
  const plain = configWith({ segments: [segment('all', 'true')] });
  it.each([
    ['after each player that takes long', 8, PLAYERS],
    ['after two that take half as long', 4, PLAYERS / 2],
    ['not at all while it has taken no time', 0, 0],
  ])('%s', async (_when, ms, times) => {
    const seen: number[] = [];
    await dryRun(world.pool, {
      gameId,
      before: plain,
      after: plain,
      nowMs: NOW,
      stopwatch: ticking(ms),
      onProgress: ({ examined }) => seen.push(examined),
    });
    // Once before the run and once after it.
    expect(seen).toHaveLength(times + 2);
  });
});

describe('a dry run of rules that use very many facts', () => {
  const asking = (types: number) =>
    configWith({
      segments: Array.from({ length: types / 10 }, (_, n) =>
        segment(`s${n}`, Array.from({ length: 10 }, (_, k) => `events["${n}_${k}"].total > 0`).join(' || ')),
      ),
    });

  it('reads as many columns as PostgreSQL allows', async () => {
    const { segments } = await run(configWith(), asking(1590), { sample: 3 });
    expect(segments).toHaveLength(159);
  });

  it('is refused beyond that, with a message', async () => {
    const outcome = await dryRun(world.pool, {
      gameId,
      before: asking(800),
      after: asking(1990),
      nowMs: NOW,
    });
    expect(outcome).toEqual({
      outcome: 'too_many_facts',
      message: expect.stringMatching(
        /^The rules of the published and the new document use 199\d different facts about a player; a dry run can read 1600\. Use fewer attributes\.$/,
      ),
    });
  });
});
