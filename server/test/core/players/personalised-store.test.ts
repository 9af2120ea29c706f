import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

type Store = {
  activeSkus: { skuId: string; name: string; offerPrice: number; currency: string }[];
  lastUpdatedTimestamp: number;
  userSpecificPromoId: string | null;
};

describe('the personalised store', () => {
  let harness: Harness;
  let second: FastifyInstance;
  beforeAll(async () => {
    // Players stay connected while the test's clock runs on.
    harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 30 * 86_400 } });
    second = (await harness.addNode()).app;
  });
  afterAll(() => harness.close());

  const read = async (session: Session, app = second) => {
    const response = await get(app, '/v1/player/store_configs', session);
    expect(response.statusCode, response.body).toBe(200);
    return { store: response.json<Store>(), headers: response.headers, text: response.body };
  };
  const now = () => new Date(harness.clock.now()).toISOString();
  const send = async (session: Session, ...events: Record<string, unknown>[]) => {
    const response = await postEvents(
      harness.app,
      session,
      events.map((event) => ({ timestamp: now(), payload: {}, ...event })),
    );
    expect(response.statusCode, response.body).toBe(202);
  };
  const purchase = (transactionId: string, promoId?: string) => ({
    eventType: 'Purchase',
    payload: { transactionId, price: 4.99, currency: 'USD', ...(promoId === undefined ? {} : { promoId }) },
  });
  const publishNow = (...parameters: Parameters<typeof gameDocument>) =>
    publish(harness.pool, gameDocument(...parameters), harness.clock.now());

  it('a purchase that was acknowledged changes the very next responses of another node', async () => {
    await publishNow([sku('gems')], {
      offers: [
        offer('payers', {
          when: 'segment("payer")',
          effect: { promoId: 'thanks', price: { discountPercent: '20' } },
        }),
      ],
    });
    const session = await harness.login('buyer');
    // Each node has seen the player and has cached the response.
    for (const app of [harness.app, second]) {
      const { store } = await read(session, app);
      expect(store).toMatchObject({ userSpecificPromoId: null, activeSkus: [{ offerPrice: 4.99 }] });
    }
    await send(session, purchase('t-1'));
    const status = await get(second, '/v1/player/status', session);
    expect(status.json()).toEqual({ isPayer: { value: true, defaultValue: false, expiredAt: null } });
    const segments = (await get(second, '/v1/player/segments', session)).json();
    expect(segments.segments).toContainEqual({ segmentId: 'payer', name: 'Payer', version: 1 });
    const { store } = await read(session);
    expect(store).toMatchObject({ userSpecificPromoId: 'thanks', activeSkus: [{ offerPrice: 3.99 }] });
    expect(store.lastUpdatedTimestamp).toBe(harness.clock.now());

    await send(session, { eventType: 'Refund', payload: { transactionId: 't-1' } });
    expect((await read(session)).store.userSpecificPromoId).toBeNull();
  });

  it('an offer begins and ends to the second for a player who sends nothing, and the tag with it', async () => {
    // At noon: days end at midnight, and the time until then also limits how long a response may be shown.
    const from = (Math.floor(harness.clock.now() / DAY_MS) + 1.5) * DAY_MS;
    harness.clock.set(from - 60 * SECOND_MS);
    const until = from + 7200 * SECOND_MS;
    await publishNow([sku('gems')], {
      offers: [
        offer('evening', {
          from: new Date(from).toISOString(),
          until: new Date(until).toISOString(),
          effect: { promoId: 'evening', price: { setTo: { USD: '1.99' } } },
        }),
      ],
    });
    const session = await harness.login('connected');
    const at = async (moment: number) => {
      harness.clock.set(moment);
      const { store, headers } = await read(session, harness.app);
      const [first] = store.activeSkus;
      return { price: first?.offerPrice, tag: headers.etag, cache: headers['cache-control'], store };
    };

    const before = await at(from - SECOND_MS);
    expect(before).toMatchObject({ price: 4.99, cache: 'private, no-cache, stale-if-error=1' });
    const during = await at(from);
    expect(during).toMatchObject({ price: 1.99, cache: 'private, no-cache, stale-if-error=7200' });
    expect(during.store.lastUpdatedTimestamp).toBe(from);
    const last = await at(until - SECOND_MS);
    expect(last).toMatchObject({ price: 1.99, tag: during.tag });
    const after = await at(until);
    expect(after).toMatchObject({ price: 4.99 });
    expect(after.store.lastUpdatedTimestamp).toBe(until);
    expect(new Set([before.tag, during.tag, after.tag]).size).toBe(3);
    const unchanged = await get(harness.app, '/v1/player/store_configs', session, {
      'if-none-match': String(after.tag),
    });
    expect(unchanged.statusCode).toBe(304);
  });

  it('an offer with a limit stops after so many purchases with its promotion, and comes back with a refund', async () => {
    await publishNow([sku('gems')], {
      offers: [offer('twice', { effect: { promoId: 'twice' }, limitPerPlayer: 2 })],
    });
    const session = await harness.login('collector');
    const promo = async () => {
      const { store } = await read(session);
      // Each time something has just happened.
      expect(store.lastUpdatedTimestamp).toBe(harness.clock.now());
      harness.clock.advance(SECOND_MS);
      return store.userSpecificPromoId;
    };
    await send(session, purchase('limit-1', 'twice'), purchase('limit-other', 'another'));
    expect(await promo()).toBe('twice');
    await send(session, purchase('limit-2', 'twice'));
    expect(await promo()).toBeNull();
    await send(session, { eventType: 'Refund', payload: { transactionId: 'limit-2' } });
    expect(await promo()).toBe('twice');
  });

  it('speaks the language and asks in the currency that the game last reported', async () => {
    const document = gameDocument([sku('gems')]);
    const [entry] = document.catalogue;
    if (entry === undefined) throw new Error('no SKU');
    entry.name = { default: 'Gems', locales: { de: 'Edelsteine', 'pt-BR': 'Gemas' } };
    entry.prices.EUR = { actualPrice: '8.99', offerPrice: '8.49' };
    await publish(harness.pool, document, harness.clock.now());
    const session = await harness.login('polyglot');
    const first = async () => {
      const { store } = await read(session);
      expect(store.lastUpdatedTimestamp).toBe(harness.clock.now());
      return store.activeSkus[0];
    };
    expect(await first()).toMatchObject({ name: 'Gems', currency: 'USD' });
    await send(session, { eventType: 'Session_Start', metadata: { locale: 'de_AT', currency: 'EUR' } });
    expect(await first()).toMatchObject({ name: 'Edelsteine', currency: 'EUR', offerPrice: 8.49 });
    harness.clock.advance(SECOND_MS);
    await send(session, { eventType: 'Session_Start', metadata: { locale: 'pt-br', currency: 'BRL' } });
    expect(await first()).toMatchObject({ name: 'Gemas', currency: 'USD' });
  });

  it('asks in the currency of the last purchase as long as no event names one', async () => {
    const document = gameDocument([sku('gems')]);
    const [entry] = document.catalogue;
    if (entry === undefined) throw new Error('no SKU');
    const price = { actualPrice: '8', offerPrice: '8' };
    Object.assign(entry.prices, { EUR: price, JPY: price });
    await publish(harness.pool, document, harness.clock.now());
    const session = await harness.login('traveller');
    const currency = async () => (await read(session)).store.activeSkus[0]?.currency;
    const buy = (paidIn: string, ageMs = 0) =>
      send(session, {
        eventType: 'Purchase',
        timestamp: new Date(harness.clock.now() - ageMs).toISOString(),
        payload: { transactionId: `paid-${paidIn}`, price: 8, currency: paidIn },
      });
    expect(await currency()).toBe('USD');
    await buy('EUR');
    expect(await currency()).toBe('EUR');
    harness.clock.advance(SECOND_MS);
    await buy('JPY');
    expect(await currency()).toBe('JPY');
    // Sent late: it is not the last one.
    await buy('USD', 60 * SECOND_MS);
    expect(await currency()).toBe('JPY');
    await send(session, { eventType: 'Refund', payload: { transactionId: 'paid-JPY' } });
    expect(await currency()).toBe('JPY');
    await send(session, { eventType: 'Session_Start', metadata: { currency: 'EUR' } });
    expect(await currency()).toBe('EUR');
    harness.clock.advance(SECOND_MS);
    await buy('GBP');
    expect(await currency()).toBe('EUR');
  });

  it('windows of days move at midnight without anything happening', async () => {
    const busy = {
      segmentId: 'busy',
      name: 'Busy',
      rule: 'events["Win"].last7d >= 3',
      visibleToClients: true,
      priority: 1,
    };
    await publishNow([], { segments: [busy] });
    const session = await harness.login('winner');
    const isBusy = async () =>
      (await get(second, '/v1/player/segments', session)).json().segments.length === 1;
    expect(await isBusy()).toBe(false);
    for (let n = 0; n < 3; n++) await send(session, { eventType: 'Win', payload: { n } });
    expect(await isBusy()).toBe(true);
    const today = Math.floor(harness.clock.now() / DAY_MS);
    harness.clock.set((today + 7) * DAY_MS - 1);
    expect(await isBusy()).toBe(true);
    harness.clock.advance(1);
    expect(await isBusy()).toBe(false);
  });

  it('an offer whose rule fails for a player does not apply and is counted; the store stays full', async () => {
    await publishNow([sku('gems')], {
      offers: [offer('broken', { when: '10 / purchases.total > 3' })],
    });
    const session = await harness.login('unlucky');
    const { store } = await read(session);
    expect(store).toMatchObject({ userSpecificPromoId: null, activeSkus: [{ skuId: 'gems' }] });
    const counted = await harness.ctx.metrics.registry.getSingleMetricAsString(
      'savepoint_personalisation_errors_total',
    );
    expect(counted).toContain('savepoint_personalisation_errors_total{kind="offer"} 1');
  });

  it('flags of the studio are members of the status, beside isPayer', async () => {
    const document = gameDocument([]);
    document.flags.custom = [
      { flagId: 'veteran', name: 'Veteran', rule: 'eventCount.total >= 2', defaultValue: false },
    ];
    await publish(harness.pool, document, harness.clock.now());
    const session = await harness.login('soldier');
    const status = async () => (await get(second, '/v1/player/status', session)).json();
    expect(await status()).toEqual({
      isPayer: { value: false, defaultValue: false, expiredAt: null },
      veteran: { value: false, defaultValue: false, expiredAt: null },
    });
    await send(session, { eventType: 'Win' }, { eventType: 'Win', payload: { n: 2 } });
    expect((await status()).veteran.value).toBe(true);
  });

  it('a hundred publications under load: no request fails and none mixes two versions', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, (_, n) => harness.login(`busy-${n}`)));
    let isOver = false;
    const readers = sessions.map(async (session, n) => {
      const app = n % 2 === 0 ? harness.app : second;
      let reads = 0;
      while (!isOver) {
        const { store } = await read(session, app);
        const names = store.activeSkus.map(({ skuId }) => skuId.split(':')[1]);
        // Both SKUs and the promotion carry the number of their publication.
        if (names.length > 1) expect(new Set([...names, store.userSpecificPromoId]).size).toBe(1);
        reads++;
      }
      return reads;
    });
    for (let n = 0; n < 100; n++) {
      await publishNow([sku(`a:${n}`), sku(`b:${n}`)], {
        offers: [offer('number', { effect: { promoId: String(n) } })],
      });
    }
    isOver = true;
    for (const reads of await Promise.all(readers)) expect(reads).toBeGreaterThan(0);
  });
});
