import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../src/decide/document/document.js';
import type { ExperimentEntry } from '../../src/decide/document/parts/experiments.js';
import { publishConfig } from '../../src/liveops/configs/publish.js';
import { configWith, experiment, offer, sku } from '../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { runCommand } from '../support/command.js';
import { expectGeneralError } from '../support/data-calls.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, NOW, publish } from './support/experiment-world.js';

/** Whoever ends an experiment of a price confirms that players of the cheaper arm see the price go up; whoever lowers a price is not asked. */

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

describe('a document', () => {
  const documentOf = (entry: ExperimentEntry | null) =>
    configWith({
      catalogue,
      ...(entry === null ? {} : { offers: [halfPrice], experiments: [entry] }),
    });
  /** Publishes one after the other, unconfirmed. */
  async function outcomesOf(slug: string, ...documents: ConfigDocument[]): Promise<string[]> {
    const gameId = await addGame(harness, slug);
    const outcomes: string[] = [];
    for (const document of documents) {
      const publication = { gameId, document, note: '' };
      outcomes.push((await publishConfig(harness.pool, publication, { name: 'test', nowMs: NOW })).outcome);
    }
    return outcomes;
  }
  const decided = (winner: string): ExperimentEntry => ({ ...firstOffer, state: 'decided', winner });

  it.each([5, 20, 50])('raises the coverage from %i%% without a question', async (coveragePercent) => {
    const some = documentOf({ ...firstOffer, coveragePercent });
    expect(await outcomesOf(`ramp-${coveragePercent}`, some, documentOf(firstOffer))).toEqual([
      'published',
      'published',
    ]);
  });

  it('goes over to the cheaper winner, and removes what nobody gets any more, without a question', async () => {
    const dead = documentOf(decided('control'));
    const published = ['published', 'published'];
    expect(await outcomesOf('cheaper', dead, documentOf(decided('half')))).toEqual(published);
    expect(await outcomesOf('removed', dead, documentOf(null))).toEqual(published);
  });

  it('is asked about if it stops the experiment, or decides it for the dearer arm', async () => {
    const refused = ['published', 'price_raise'];
    const stopped = documentOf({ ...firstOffer, state: 'stopped' });
    expect(await outcomesOf('stopped', documentOf(firstOffer), stopped)).toEqual(refused);
    expect(await outcomesOf('dearer', documentOf(firstOffer), documentOf(decided('control')))).toEqual(
      refused,
    );
    expect(await outcomesOf('back', documentOf(decided('half')), documentOf(decided('control')))).toEqual(
      refused,
    );
  });
});
