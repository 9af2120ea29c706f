import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createDecisions } from '../../../src/core/players/decisions.js';
import type { ArmsStored } from '../../../src/core/players/experiment-exposures.js';
import type { VersionedModels } from '../../../src/core/players/exposure-forecast.js';
import { renderResponses } from '../../../src/core/players/player-responses.js';
import type { PlayerRow } from '../../../src/core/players/player-row.js';
import { createResponseCache } from '../../../src/core/players/response-cache.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import type { SliceQueue } from '../../../src/platform/lib/slice-queue.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { createMetrics } from '../../../src/platform/telemetry/metrics.js';
import {
  compiled,
  DAY_MS,
  experiment,
  facts,
  NOW,
  offer,
  segment,
  sku,
  TODAY,
  value,
} from '../../decide/support/fixtures.js';
import { createSteppedQueue } from '../../support/stepped-queue.js';

/** What is remembered, and what is asked again, where rules ask for predictions and where they do not. */
function decisionsOn(document: CompiledDocument, slices?: SliceQueue) {
  const asked = { facts: 0, models: [] as number[], arms: [] as ArmsStored[] };
  let now = NOW;
  const row: PlayerRow = {
    playerId: '1',
    gameId: 1,
    userId: facts().userId,
    configVersion: 7,
    predictionsVersion: 1,
    registryVersion: 0,
    signingKeysVersion: 0,
    rowVersion: 'a',
    blankSince: null,
    activatedExperiments: null,
  };
  const metrics = createMetrics();
  const decisions = createDecisions({
    readings: {
      async of() {
        asked.facts++;
        return { ...row, facts: facts() };
      },
    },
    gameConfigs: { get: () => document },
    models: {
      get: async (_gameId, version): Promise<VersionedModels> => {
        asked.models.push(version);
        return { ...UNTRAINED_MODELS, version };
      },
    },
    stays: { store: async () => true },
    exposures: { store: async () => asked.arms.shift() ?? 'as told' },
    clock: { now: () => now },
    metrics,
    logger: pino({ level: 'silent' }),
    ...(slices === undefined ? {} : { slices }),
  });
  return {
    asked,
    row,
    at(ms: number) {
      now = ms;
    },
    ask: async (changed: Partial<PlayerRow> = {}) => {
      Object.assign(row, changed);
      return decisions.responsesFor({ ...row });
    },
    close: () => metrics.stop(),
  };
}

describe('responses of a document without predictions', () => {
  it('do not look for models, and outlive a training', async () => {
    const game = decisionsOn(compiled({ segments: [segment('s', 'purchases.total > 0')] }));
    await game.ask();
    await game.ask({ predictionsVersion: 2 });
    expect(game.asked).toMatchObject({ facts: 1, models: [] });
    await game.ask({ rowVersion: 'b', blankSince: NOW });
    expect(game.asked).toMatchObject({ facts: 1, models: [] });
    game.close();
  });
});

describe('decisions about a large store', () => {
  const document = compiled({
    catalogue: Array.from({ length: 500 }, (_, n) => sku(`sku-${n}`)),
    offers: [offer('all', { skus: 'all', effect: { price: { discountPercent: '10' } } })],
  });

  it('are made in slices, and are the same as without', async () => {
    const { queue, runSlice } = createSteppedQueue(1);
    const game = decisionsOn(document, queue);
    const asking = game.ask();
    let slices = 0;
    do slices++;
    while (await runSlice());
    // For each list of 100 SKUs a few steps; the clock goes on by a millisecond with each, and a slice lasts two.
    expect(slices).toBeGreaterThanOrEqual(10);
    const decision = decide(document, facts(), NOW);
    expect(await asking).toEqual(
      renderResponses(
        facts().userId,
        decision,
        runSteps(createResponseCache(1_000_000).share(decision.store)),
      ),
    );
    game.close();
  });

  it('are shared by requests of one player at the same time', async () => {
    const { queue, runSlice } = createSteppedQueue(1);
    const game = decisionsOn(document, queue);
    const asking = Promise.all([game.ask(), game.ask({ blankSince: NOW }), game.ask()]);
    while (await runSlice());
    const [status, segments, store] = await asking;
    expect(segments).toBe(status);
    expect(store).toBe(status);
    game.close();
  });

  it('take turns, one in each slice', async () => {
    const { queue, keys, runSlice } = createSteppedQueue();
    const game = decisionsOn(document, queue);
    let decided = 0;
    const asking = ['1', '2', '3'].map(async (playerId) => {
      await game.ask({ playerId, blankSince: NOW });
      decided++;
    });
    expect(keys).toEqual([1, 1, 1]);
    for (const expected of [1, 2, 3]) {
      await runSlice();
      expect(decided).toBe(expected);
    }
    await Promise.all(asking);
    game.close();
  });
});

describe('responses that depend on an arm', () => {
  const document = compiled({
    experiments: [experiment('x')],
    values: [value('jump', { rules: [{ when: 'experiment("x") == "b"', sharePercent: 100, value: 2 }] })],
  });

  it('are decided once more where another arm was stored first, and not for ever', async () => {
    const game = decisionsOn(document);
    game.asked.arms.push('otherwise');
    await game.ask();
    expect(game.asked.facts).toBe(2);
    // An arm that the experiment no longer has: it is stored, and cannot be told.
    game.asked.arms.push('otherwise', 'otherwise');
    await game.ask({ rowVersion: 'b' });
    expect(game.asked.facts).toBe(4);
    await game.ask();
    expect(game.asked.facts).toBe(4);
    game.close();
  });

  it('are not remembered where the arm could not be stored', async () => {
    const game = decisionsOn(document);
    game.asked.arms.push('not stored');
    await game.ask();
    await game.ask();
    await game.ask();
    expect(game.asked.facts).toBe(2);
    game.close();
  });
});

describe('responses of a document with predictions', () => {
  const document = compiled({ segments: [segment('s', 'predictions.churn.value > 0.5')] });

  it('are remembered until the models change', async () => {
    const game = decisionsOn(document);
    await game.ask();
    await game.ask();
    expect(game.asked).toMatchObject({ facts: 1, models: [1] });
    await game.ask({ predictionsVersion: 2 });
    await game.ask();
    expect(game.asked).toMatchObject({ facts: 2, models: [1, 2] });
    game.close();
  });

  it('are worked out again at midnight', async () => {
    const game = decisionsOn(document);
    game.at((TODAY + 1) * DAY_MS - 2);
    await game.ask();
    game.at((TODAY + 1) * DAY_MS - 1);
    await game.ask();
    expect(game.asked.facts).toBe(1);
    game.at((TODAY + 1) * DAY_MS);
    await game.ask();
    expect(game.asked.facts).toBe(2);
    game.close();
  });

  it('use the models also of a player of whom nothing is known', async () => {
    const game = decisionsOn(document);
    await game.ask({ blankSince: NOW });
    expect(game.asked).toMatchObject({ facts: 0, models: [1] });
    game.close();
  });
});
