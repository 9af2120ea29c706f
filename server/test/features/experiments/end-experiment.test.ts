import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExperimentEntry } from '../../../src/personalisation/document/parts/experiments.js';
import { experiment, offer, sku } from '../../personalisation/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addGame, NOW, publish } from './support/experiment-world.js';

/** Whoever ends an experiment of a price confirms that players of the cheaper arm see the price go up. */

const catalogue = [sku('starter', { prices: { USD: { actualPrice: '4.99', offerPrice: '4.99' } } })];
const halfPrice = offer('starter_half', {
  ...{ when: 'experiment("first_offer") == "half"', skus: ['starter'] },
  effect: { price: { setTo: { USD: '4.00' } } },
});
const firstOffer: ExperimentEntry = experiment('first_offer', {
  variants: [
    { variantId: 'control', name: 'As it is', weight: 1 },
    { variantId: 'half', name: 'Cheaper', weight: 1 },
  ],
});

let harness: Harness;
let admin: AdminClient;

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function gameWithExperiment(slug: string) {
  const gameId = await addGame(harness, slug);
  await publish(harness, gameId, [firstOffer], { nowMs: NOW, catalogue, offers: [halfPrice] });
  const path = `/games/${slug}/experiments/first_offer/end`;
  return (body: object) => admin.call('POST', path, { note: '', ...body }, admin.tokens.editor);
}

describe('the end of an experiment that gave the lower price', () => {
  it('is asked about, and published once it is confirmed', async () => {
    const end = await gameWithExperiment('raised');
    const refused = await end({ winner: 'control' });
    expectGeneralError(refused, 409, 'price_raise_unconfirmed');
    const raise = { offerId: 'starter_half', skuId: 'starter', from: '4.00', to: '4.99', at: null };
    expect(refused.json().error.raises).toEqual([expect.objectContaining(raise)]);
    expect((await end({ winner: 'control', confirmPriceRaises: true })).statusCode).toBe(201);
  });

  it('says on the command line how to confirm it', async () => {
    await gameWithExperiment('commanded');
    const end = (...options: string[]) =>
      runCommand(
        harness.databaseUrl,
        ...['experiments', 'end', 'first_offer', '--tenant', 'demo-studio', '--game', 'commanded'],
        ...options,
      );
    const refused = await end('--winner', 'control');
    expect(refused.code).not.toBe(0);
    expect(refused.errors).toContain(
      'Ending first_offer with control would raise prices that players see now:\n' +
        '  - starter in the running offer starter_half: 4.00 to 4.99 USD\n' +
        'If that is intended, add --confirm-price-raises.',
    );
    expect(await end('--winner', 'control', '--confirm-price-raises')).toMatchObject({
      code: 0,
      out: expect.stringContaining('first_offer is control for everybody'),
    });
  });
});
