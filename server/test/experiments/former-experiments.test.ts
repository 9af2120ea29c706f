import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offerHoldout } from '../../src/decide/document/offer-holdouts.js';
import { experiment, offer, sku } from '../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { runCommand } from '../support/command.js';
import { expectGeneralError } from '../support/data-calls.js';
import { DAY_MS } from '../support/game-world.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, dayOf, expose, NOW, publish, sum } from './support/experiment-world.js';

/** Reports are kept as they were, also of experiments that are not in the document any more. */

const GAME = ['--tenant', 'demo-studio', '--game', 'former'];
const decided = experiment('price', { name: 'A price', hypothesis: 'Cheaper is better.' });
const removed = experiment('colour');
const drawnTwice = experiment('size', { seed: '1' });
const sale = offer('sale', { holdoutPercent: 20 });

type Shown = {
  experiment: { experimentId: string; seed: string; name: string; state: string };
  sentence: string;
  endedAt: string | null;
  report: { to: string; verdict: string; arms: { players: number }[] } | null;
};
type Found = Shown & { isFormer: boolean; publishedSeed: string | null; days: { day: string }[] };

let harness: Harness;
let admin: AdminClient;
let gameId: number;

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
  gameId = await addGame(harness, 'former');
  const players = await addPlayers(harness, gameId, 8, at(30));
  const catalogue = [sku('gems')];
  const nowMs = at(10);
  await publish(harness, gameId, [decided, removed, drawnTwice], { nowMs, catalogue, offers: [sale] });
  for (const run of [decided, removed, drawnTwice, offerHoldout(sale)]) {
    const [a, b] = run.variants.map(({ variantId }) => variantId);
    await expose(harness, players, run, (_, n) => ({
      variantId: String(n % 2 === 0 ? a : b),
      exposedAt: at(9),
    }));
  }
  await sum(harness, { nowMs: at(5) });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const viewed = <T>(path: string) =>
  admin.ask<T>('GET', `/games/former/${path}`, undefined, admin.tokens.viewer);
const former = async () => (await viewed<{ experiments: Shown[] }>('former-experiments')).experiments;

describe('former experiments', () => {
  it('are none while the published version has all of them', async () => {
    expect(await former()).toEqual([]);
    expect(await viewed<Found>('experiments/price')).toMatchObject({ isFormer: false });
  });

  it('keep their reports when they are removed, drawn anew or decided before', async () => {
    const again = { ...drawnTwice, seed: '2' };
    const won = { ...decided, state: 'decided' as const, winner: 'b' };
    await publish(harness, gameId, [won, drawnTwice], { nowMs: at(4) });
    await sum(harness, { nowMs: at(4) + 1_000 });
    // Renamed long after its end, and then removed: it is shown as it was at its end.
    await publish(harness, gameId, [{ ...won, name: 'Another name' }, again], { nowMs: at(3) });
    await sum(harness, { nowMs: at(3) + 1_000 });
    await publish(harness, gameId, [again], { nowMs: at(2) });

    const list = await former();
    expect(list.map(({ experiment: { experimentId, seed } }) => [experimentId, seed])).toEqual([
      ['size', '1'],
      ['colour', '1'],
      ['offer:sale', '20'],
      ['price', '1'],
    ]);
    const [, colour, , price] = list;
    expect(colour?.sentence).toBe(`Ended without a decision. ${colour?.report?.verdict}`);
    expect(price).toMatchObject({
      experiment: { ...decided, state: 'decided', winner: 'b' },
      sentence: `Decided: Treatment for all. ${price?.report?.verdict}`,
      // When the version was published that ended it, not when maintenance noticed.
      endedAt: new Date(at(4)).toISOString(),
    });
    expect(list.map(({ report }) => report?.arms.map(({ players }) => players))).toEqual(
      list.map(() => [4, 4]),
    );
  });

  it('are read one by one, by the seed where there were several runs', async () => {
    const price = await viewed<Found>('experiments/price');
    expect(price).toMatchObject({ isFormer: true, publishedSeed: null, experiment: { name: 'A price' } });
    expect(price.days.map(({ day }) => day)).toEqual([dayOf(at(6))]);
    const size = await viewed<Found>('experiments/size');
    expect(size).toMatchObject({
      ...{ isFormer: false, publishedSeed: '2', report: null, experiment: { seed: '2' } },
    });
    const before = await viewed<Found>('experiments/size?seed=1');
    expect(before).toMatchObject({
      ...{ isFormer: true, publishedSeed: '2', report: { to: dayOf(at(5)) }, experiment: { seed: '1' } },
    });
    const holdout = await viewed<Found>('experiments/offer:sale?seed=20');
    expect(holdout).toMatchObject({ isFormer: true, experiment: { name: 'Name of sale' } });
    for (const path of ['experiments/price?seed=9', 'experiments/none']) {
      const response = await admin.call('GET', `/games/former/${path}`, undefined, admin.tokens.viewer);
      expectGeneralError(response, 404, 'experiment_not_found');
      // Whoever asks for a seed is told which ones there are.
      expect(response.body.includes('Its seeds are: 1.')).toBe(path.includes('seed'));
    }
  });

  it('are printed by the command', async () => {
    const list = await runCommand(harness.databaseUrl, 'experiments', 'former', ...GAME);
    expect(list).toMatchObject({ code: 0, out: expect.stringContaining('price  seed 1') });
    const one = await runCommand(harness.databaseUrl, 'experiments', 'show', 'size', '--seed', '1', ...GAME);
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('Ended without a decision.') });
  });

  it('are not found by the command with another seed, which names those that there are', async () => {
    const show = (...args: string[]) =>
      runCommand(harness.databaseUrl, 'experiments', 'show', ...args, ...GAME);
    expect((await show('size', '--seed', '9')).errors).toContain('Its seeds are: 2, 1.');
    expect((await show('price', '--seed', '9')).errors).toContain('Its seeds are: 1.');
    for (const args of [['none', '--seed', '9'], ['none']]) {
      expect((await show(...args)).errors).toContain('There is no experiment "none". List them:');
    }
  });

  it('cannot be planned by the command, which says where an experiment has to be', async () => {
    const { errors, code } = await runCommand(harness.databaseUrl, 'experiments', 'plan', 'price', ...GAME);
    expect(errors).toContain('"price" cannot be planned: it has to be in the draft of the game or');
    expect(code).toBe(1);
  });

  it('are in the list before maintenance has noticed the end', async () => {
    await publish(harness, gameId, [], { nowMs: at(1) });
    await harness.pool.query(`update experiment_runs set ended_at = null where experiment_id = 'price'`);
    const [first] = await former();
    expect(first).toMatchObject({
      experiment: { experimentId: 'price', name: 'Another name' },
      endedAt: null,
    });
    await sum(harness, { nowMs: NOW + DAY_MS });
    expect((await former()).map(({ endedAt }) => endedAt)).not.toContain(null);
  });
});
