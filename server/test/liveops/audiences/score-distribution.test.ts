import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Prediction } from '../../../src/decide/predict/score.js';
import { distributionOf } from '../../../src/liveops/audiences/score-bins.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

function predicted(value: number, overrides: Partial<Prediction> = {}): Prediction {
  return {
    value,
    defaultValue: 0,
    expiredAt: null,
    unit: 'probability',
    horizonDays: 7,
    percentile: 50,
    band: 'low',
    state: 'ready',
    model: 'activity',
    reason: null,
    ...overrides,
  };
}

describe('the distribution of scores', () => {
  it('puts probabilities into twenty bins from 0 to 1, both included', () => {
    const { bins, bands, ready } = distributionOf(
      [
        predicted(0),
        predicted(0.049),
        predicted(0.05, { band: 'medium' }),
        predicted(1, { band: 'high' }),
        predicted(0.5, { band: null, state: 'cold_start' }),
      ],
      2,
    );
    expect(bins).toHaveLength(20);
    expect(bins[0]).toEqual({ from: 0, to: 0.05, players: 4 });
    expect(bins[1]).toEqual({ from: 0.05, to: 0.1, players: 2 });
    expect(bins[19]).toEqual({ from: 0.95, to: 1, players: 2 });
    expect(bands).toEqual({ low: 4, medium: 2, high: 2 });
    expect(ready).toBe(8);
  });

  it('puts the few largest amounts into a bin without an end', () => {
    const amounts = Array.from({ length: 100 }, (_, n) => predicted(n < 99 ? 1 : 5000, { unit: 'USD' }));
    const { bins } = distributionOf(amounts, 1);
    expect(bins.at(-1)).toEqual({ from: 2, to: null, players: 1 });
    expect(bins.reduce((sum, { players }) => sum + players, 0)).toBe(100);
    expect(bins.find(({ from }) => from === 1)?.players).toBe(99);
  });

  it('of no players is empty', () => {
    const { bins, ready } = distributionOf([], 1);
    expect(bins.every(({ players }) => players === 0)).toBe(true);
    expect(ready).toBe(0);
  });
});

describe('GET /admin/v1/games/:game/prediction-scores', () => {
  let harness: Harness;
  let admin: AdminClient;
  beforeAll(async () => {
    harness = await createHarness();
    admin = await openAdminClient(harness);
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  type Scores = {
    players: number;
    examined: number;
    isSampled: boolean;
    modelVersion: number | null;
    predictions: Record<string, { bins: { players: number }[]; ready: number }>;
  };
  const ask = () => admin.ask<Scores>('GET', `${GAME}/prediction-scores`, undefined, admin.tokens.viewer);

  it('counts every player once in each prediction, and again after a minute', async () => {
    for (const device of ['a', 'b', 'c']) await harness.login(device);
    const scores = await ask();
    expect(scores).toMatchObject({ players: 3, examined: 3, isSampled: false, modelVersion: null });
    const names = ['churn', 'payerAlive', 'purchases', 'revenue', 'revenue90', 'spend'];
    expect(Object.keys(scores.predictions).sort()).toEqual(names);
    for (const { bins, ready } of Object.values(scores.predictions)) {
      expect(bins.reduce((sum, { players }) => sum + players, 0)).toBe(3);
      expect(ready).toBe(0);
    }
    await harness.login('d');
    expect((await ask()).players).toBe(3);
    harness.clock.advance(60_000);
    expect((await ask()).players).toBe(4);
  });

  it('is refused for a game of another studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const refused = await admin.call('GET', `${GAME}/prediction-scores`, undefined, token);
    expectGeneralError(refused, 404, 'game_not_found');
    const own = await admin.ask<Scores>('GET', '/games/other-game/prediction-scores', undefined, token);
    expect(own).toMatchObject({ players: 0, examined: 0 });
  });
});
