import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf, isInShare, offerSalt, userIdBytes } from '../../../src/decide/compile/bucket.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

type Sku = { skuId: string; offerPrice: number; promoId?: string };
type Store = { activeSkus: Sku[]; userSpecificPromoId: string | null };

/** Each for one SKU, once, with 40% off. */
const promotion = (promoId: string, skuId: string, sharePercent: number) =>
  offer(promoId, {
    sharePercent,
    skus: [skuId],
    effect: { promoId, price: { discountPercent: '40' } },
    limitPerPlayer: 1,
  });

describe('promotions', () => {
  let harness: Harness;
  let admin: AdminClient;
  beforeAll(async () => {
    harness = await createHarness();
    admin = await openAdminClient(harness);
    const document = gameDocument([sku('gems'), sku('hero'), sku('pass'), sku('plain')], {
      offers: [
        promotion('season', 'pass', 100),
        promotion('shiny', 'gems', 100),
        promotion('brave', 'hero', 50),
      ],
    });
    await publish(harness.pool, document, harness.clock.now());
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  const read = async (session: Session) =>
    (await get(harness.app, '/v1/player/store_configs', session)).json<Store>();
  const send = async (session: Session, eventType: string, payload: Record<string, unknown>) => {
    const event = { eventType, timestamp: new Date(harness.clock.now()).toISOString(), payload };
    expect((await postEvents(harness.app, session, [event])).statusCode).toBe(202);
  };
  const promotions = ({ activeSkus }: Store) =>
    Object.fromEntries(activeSkus.map(({ skuId, promoId }) => [skuId, promoId]));

  it('are told for each SKU, and a purchase uses up the limit of its own', async () => {
    const kinds = new Set<boolean>();
    // Until there was one of either kind.
    for (let n = 0; n < 12 || kinds.size < 2; n++) {
      const session = await harness.login(`player-${n}`);
      const isBrave = isInShare(bucketOf(offerSalt('brave'), userIdBytes(session.userId)), 50);
      kinds.add(isBrave);
      const store = await read(session);
      expect(store.userSpecificPromoId).toBe('season');
      expect(store.activeSkus.map(({ skuId, offerPrice, promoId }) => [skuId, offerPrice, promoId])).toEqual([
        ['gems', 2.99, 'shiny'],
        ['hero', ...(isBrave ? [2.99, 'brave'] : [4.99, undefined])],
        ['pass', 2.99, 'season'],
        ['plain', 4.99, undefined],
      ]);

      const left = promotions(store);
      for (const { skuId, offerPrice, promoId } of store.activeSkus) {
        if (promoId === undefined) continue;
        const payload = { skuId, price: offerPrice, currency: 'USD', promoId };
        await send(session, 'Purchase', { ...payload, transactionId: `first-${skuId}` });
        expect(promotions(await read(session))).toEqual({ ...left, [skuId]: undefined });
        await send(session, 'Refund', { transactionId: `first-${skuId}` });
        expect(promotions(await read(session))).toEqual(left);
        await send(session, 'Purchase', { ...payload, transactionId: `second-${skuId}` });
        left[skuId] = undefined;
      }
      expect(await read(session)).toMatchObject({
        userSpecificPromoId: null,
        activeSkus: store.activeSkus.map(({ skuId }) => ({ skuId, offerPrice: 4.99 })),
      });
    }
  });

  it('are explained for each SKU, also those of the past', async () => {
    const session = await harness.login('explained');
    const before = harness.clock.now();
    harness.clock.advance(1_000);
    await send(session, 'Purchase', { transactionId: 't', skuId: 'gems', promoId: 'shiny' });
    harness.clock.advance(1_000);

    const gemsAt = async (ms: number) => {
      const question = { playerId: session.userId, at: new Date(ms).toISOString() };
      const { trace, because, decision } = await admin.ask<Explanation>('POST', `${GAME}/explain`, question);
      return {
        promoId: trace.skus.find(({ skuId }) => skuId === 'gems')?.promoId,
        told: promotions(decision.store as Store).gems,
        sentence: because.skus.find((sentence) => sentence.startsWith('gems')),
      };
    };
    expect(await gemsAt(before)).toEqual({
      promoId: 'shiny',
      told: 'shiny',
      sentence:
        'gems costs 2.99 USD: catalogue 4.99, reduced from 9.99; offer shiny asked for 2.99; a purchase belongs to promotion shiny.',
    });
    expect(await gemsAt(harness.clock.now())).toEqual({
      promoId: null,
      told: undefined,
      sentence: 'gems costs 4.99 USD: catalogue 4.99, reduced from 9.99.',
    });
  });
});
