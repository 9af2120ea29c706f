import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRealService } from '../../sdk/test/support/real-service.js';
import { openAdminClient } from '../../server/test/support/admin-calls.js';
import { NO_CHANGE } from '../src/model/reaction.js';
import { CASUAL, DAY_MS, startOfDay } from '../src/model/simulation.js';
import { countExposed, rehearseExperiment, type World } from './support/rehearsal.js';

let world: World;
beforeAll(async () => {
  const service = await startRealService();
  world = { service, admin: await openAdminClient(service) };
});
afterAll(async () => {
  await world.admin.close();
  await world.service.close();
});

it('players read their arm from the service and react, and the reports count what they did', async () => {
  const fromMs = startOfDay(world.service.clock.now()) + DAY_MS;
  const { game, told, looks, sentence } = await rehearseExperiment(world, {
    ...{ seed: 3, players: 60, installDays: 2, days: 3, fromMs },
    // Everybody pays in nearly every session, and nobody of arm b does.
    habits: { ...CASUAL, payerShare: 0.5, purchasesPerSession: 20 },
    metrics: { primary: { kind: 'share', of: 'converted' }, secondary: [], guardrails: [] },
    changes: { b: { ...NO_CHANGE, conversion: 0 } },
  });
  const last = looks.at(-1);
  if (last === undefined) throw new Error('nobody looked');
  expect(looks.map(({ days }) => days)).toEqual([1, 2, 3]);
  const counted = await countExposed(world, game, last.to);
  expect(counted.map(({ variantId, players }) => [variantId, players])).toEqual(Object.entries(told).sort());
  const arms = last.metrics[0]?.arms ?? [];
  expect(
    arms.map(({ variantId, players, positive }) => ({ variantId, players, converted: positive })),
  ).toEqual(counted);
  expect(counted.find(({ variantId }) => variantId === 'a')?.converted).toBeGreaterThan(0);
  expect(counted.find(({ variantId }) => variantId === 'b')?.converted).toBe(0);
  expect(sentence).toMatch(/^Decided: Control for all\. Too few players for a verdict/);
});
