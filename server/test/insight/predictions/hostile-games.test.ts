/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { type ModelName, PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { gradeGame } from '../../../src/insight/predictions/grade-game.js';
import { trainGame } from '../../../src/insight/predictions/train-game.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { type SimulatedPlayer, simulateGame } from '../../decide/predict/simulated-game.js';
import { openAdminClient } from '../../support/admin-calls.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { addStudio, type Studio } from '../../support/session-calls.js';
import { insertSimulatedPlayers } from '../../support/simulated-rows.js';

/**
 * Games that models do not fit, from the events to the responses. Players always get numbers, and the reason if there is no
 * model.
 */

const LAST_DAY = 20_059;
const players = (count: number, of: (n: number) => SimulatedPlayer) =>
  Array.from({ length: count }, (_, n) => of(n));
const nobodyBuys = new Map<number, number>();
const regular = simulateGame(21, 2_200, 60).players;

/** Reasons by model. A model that is not listed may have any outcome. */
type Case = Readonly<{ players: readonly SimulatedPlayer[]; reasons: Partial<Record<ModelName, RegExp>> }>;

const CASES: Record<string, Case> = {
  'a game of one day': {
    players: players(2_100, () => ({ firstDay: LAST_DAY, activeDays: [LAST_DAY], purchases: nobodyBuys })),
    reasons: {
      activity: /^less than two weeks of history/,
      purchases: /^less than two weeks of history/,
      conversion: /^less than two weeks of history/,
    },
  },
  'players who are all the same': {
    players: players(2_100, () => ({
      firstDay: LAST_DAY - 50,
      activeDays: [LAST_DAY - 50, LAST_DAY - 40, LAST_DAY - 3],
      purchases: nobodyBuys,
    })),
    reasons: {
      activity: /^there is nobody to test the model with$/,
      purchases: /^there is nobody to test the model with$/,
    },
  },
  'a single payer': {
    players: regular.map((player, n) => ({
      ...player,
      purchases: n === 0 ? new Map([[LAST_DAY - 30, 5]]) : nobodyBuys,
    })),
    reasons: { purchases: /^all players had the same outcome$/ },
  },
  'prices of 0': {
    players: regular.map((player, n) => ({
      ...player,
      purchases:
        n % 2 === 0 ? nobodyBuys : new Map([...player.activeDays.slice(0, 5)].map((day) => [day, 0])),
    })),
    reasons: {},
  },
  'players who all bought exactly once': {
    players: regular.map((player) => ({ ...player, purchases: new Map([[player.firstDay, 3]]) })),
    reasons: { purchases: /^all players had the same outcome$/ },
  },
};

let harness: Harness;
let today: number;
beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 86_400 } });
  today = Math.floor(harness.clock.now() / DAY_MS);
  harness.clock.set(today * DAY_MS + DAY_MS / 4);
});
afterAll(() => harness.close());

async function addGame(slug: string): Promise<{ studio: Studio; gameId: number }> {
  const studio = await addStudio(harness, 'hostile', slug);
  const gameId = (await findGame(harness.pool, 'hostile', slug))?.id ?? 0;
  const document = { ...DEFAULT_DOCUMENT, predictions: { visibleToClients: [...PREDICTION_NAMES], off: [] } };
  await publishConfig(harness.pool, { gameId, document, note: '' }, testActor(harness.clock.now()));
  return { studio, gameId };
}

async function train(gameId: number) {
  const outcome = await trainGame(harness.pool, { gameId, actor: testActor(harness.clock.now()) });
  if (outcome.outcome !== 'trained') throw new Error(outcome.outcome);
  return outcome;
}

/** Predictions are numbers, and an average is marked as one. */
async function expectSound(session: Session): Promise<Record<string, { state: string; value: number }>> {
  const response = await get(harness.app, '/v1/player/predictions', session);
  expect(response.statusCode, response.body).toBe(200);
  // JSON turns NaN into null.
  const { predictions } = response.json();
  expect(Object.keys(predictions)).toEqual([...PREDICTION_NAMES]);
  for (const [name, { value, defaultValue, state, band }] of Object.entries<Record<string, unknown>>(
    predictions,
  )) {
    for (const number of [value, defaultValue]) {
      expect(typeof number === 'number' && number >= 0, `${name} is ${number}`).toBe(true);
    }
    if (state !== 'ready') expect([value, band], name).toEqual([defaultValue, null]);
  }
  return predictions;
}

describe.each(Object.entries(CASES))('%s', (name, { players: crowd, reasons }) => {
  it('gives numbers, and reasons if there is no model', async () => {
    const { studio, gameId } = await addGame(`game-${Object.keys(CASES).indexOf(name)}`);
    await insertSimulatedPlayers(harness.pool, gameId, crowd, today - 1 - LAST_DAY);
    const { report } = await train(gameId);
    for (const { model, outcome, reason } of report.models) {
      expect(reason).not.toBe('');
      const expected = reasons[model];
      if (expected === undefined) continue;
      expect({ model, outcome, reason }).toEqual({
        model,
        outcome: 'cold_start',
        reason: expect.stringMatching(expected),
      });
    }
    await gradeGame(harness.pool, { gameId, actor: testActor(harness.clock.now()) });
    for (const device of ['simulated-0', 'simulated-1', 'simulated-7', 'never-seen']) {
      const predictions = await expectSound(await studio.login(device));
      for (const [prediction, model] of [
        ['churn', 'activity'],
        ['payerAlive', 'purchases'],
      ] as const) {
        if (reasons[model] !== undefined) expect(predictions[prediction]?.state).toBe('cold_start');
      }
    }
    // The studio sees which data is missing.
    const admin = await openAdminClient(harness);
    const token = await admin.addToken('viewer', { tenant: 'hostile' });
    const listed = await admin.ask<{ models: { models: { reason: string }[] }[] }>(
      'GET',
      `/games/${studio.game}/models`,
      undefined,
      token,
    );
    expect(listed.models[0]?.models.map(({ reason }) => reason)).toEqual(
      report.models.map(({ reason }) => reason),
    );
    await admin.close();
  });
});

describe('events of wild players, through the API', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const bought = (transactionId: string, ms: number, price: string) => ({
    eventType: 'Purchase',
    timestamp: at(ms),
    payload: { transactionId, skuId: 'gems', price, currency: 'USD' },
  });
  const sent = async (session: Session, events: object[]) => {
    const response = await postEvents(harness.app, session, events);
    expect(response.json()).toMatchObject({ data: { accepted: events.length } });
  };

  it('of a buyer with 20,000 purchases, of clocks that are a year off, and of gifts', async () => {
    const { studio, gameId } = await addGame('wild');
    await insertSimulatedPlayers(harness.pool, gameId, regular, today - 1 - LAST_DAY);
    const now = harness.clock.now();
    const buyer = await studio.login('buyer');
    for (let from = 0; from < 20_000; from += 500) {
      const day = now - (1 + ((from / 500) % 40)) * DAY_MS;
      await sent(
        buyer,
        Array.from({ length: 500 }, (_, n) => bought(`b${from + n}`, day + n, '1.99')),
      );
    }
    const early = await studio.login('a-year-early');
    const late = await studio.login('a-year-late');
    const gifted = await studio.login('gifted');
    await sent(early, [bought('e1', now - 365 * DAY_MS, '4.99')]);
    await sent(late, [bought('l1', now + 365 * DAY_MS, '4.99')]);
    await sent(
      gifted,
      [40, 30, 20, 10].map((ago) => bought(`g${ago}`, now - ago * DAY_MS, '0')),
    );
    const { report, artefact } = await train(gameId);
    expect(report.models.map(({ outcome }) => outcome)).toContain('promoted');
    // None of these players has seen an ad: a feature without variance has no effect on them.
    const { activity } = artefact.models;
    if (activity.state === 'ready' && activity.logistic !== null) {
      expect(activity.logistic.means[artefact.features.indexOf('adImpressions7')]).toBe(0);
    }
    for (const session of [buyer, early, late, gifted]) await expectSound(session);
    // Events with a clock that is a year off count at the time of receipt: these two players are like any who bought today.
    const [one, other] = [await expectSound(early), await expectSound(late)];
    expect(one).toEqual(other);
    const later = await studio.login('today');
    await sent(later, [bought('t1', now, '4.99')]);
    expect(await expectSound(later)).toEqual(one);
  });
});
