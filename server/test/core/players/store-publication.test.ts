import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gameDocument, get, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { refreshed } from '../../support/session-calls.js';

describe('the published store', () => {
  let harness: Harness;
  let second: FastifyInstance;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    second = (await harness.addNode()).app;
    session = await harness.login('shopper');
  });
  afterAll(() => harness.close());

  const publishSkus = (...parameters: Parameters<typeof gameDocument>) =>
    publish(harness.pool, gameDocument(...parameters), harness.clock.now());
  const storeText = async (app = harness.app): Promise<string> => {
    const response = await get(app, '/v1/player/store_configs', session);
    expect(response.statusCode, response.body).toBe(200);
    return response.body;
  };

  it('is served by every node with the very next request', async () => {
    for (let round = 0; round < 5; round++) {
      harness.clock.advance(1_000);
      await publishSkus([sku(`round_${round}`)]);
      for (const app of [second, harness.app]) {
        const store = JSON.parse(await storeText(app));
        expect(store.activeSkus.map((each: { skuId: string }) => each.skuId)).toEqual([`round_${round}`]);
        expect(store.lastUpdatedTimestamp).toBe(harness.clock.now());
      }
    }
  });

  it('comes with the next login and refresh, too', async () => {
    await publishSkus([sku('fresh')]);
    const skuIds = ({ body }: Session) =>
      (
        body as { playerConfig: { storeConfig: { activeSkus: { skuId: string }[] } } }
      ).playerConfig.storeConfig.activeSkus.map((each) => each.skuId);
    const newcomer = await harness.login('newcomer', second);
    expect(skuIds(newcomer)).toEqual(['fresh']);
    await publishSkus([sku('fresher')]);
    expect(skuIds(await refreshed(harness.app, newcomer.refreshToken))).toEqual(['fresher']);
  });

  it('leaves out inactive SKUs and keeps the order of the studio', async () => {
    await publishSkus([
      sku('zebra'),
      sku('hidden', { active: false }),
      sku('apple'),
      sku('mango'),
      sku('0_first_in_byte_order'),
    ]);
    const { activeSkus } = JSON.parse(await storeText());
    expect(activeSkus.map((each: { skuId: string }) => each.skuId)).toEqual([
      'zebra',
      'apple',
      'mango',
      '0_first_in_byte_order',
    ]);
    expect(activeSkus.every((each: { active: boolean }) => each.active)).toBe(true);
  });

  it.each([
    ['USD', '5', '4.1', '"actualPrice":5.00,"offerPrice":4.10,'],
    ['USD', '0.3', '0', '"actualPrice":0.30,"offerPrice":0.00,'],
    ['USD', '999999999999.99', '0.29', '"actualPrice":999999999999.99,"offerPrice":0.29,'],
    ['JPY', '500', '480.00', '"actualPrice":500,"offerPrice":480,'],
    ['KWD', '1.5', '1.125', '"actualPrice":1.500,"offerPrice":1.125,'],
  ])('writes prices exactly, with the decimals of %s', async (currency, actualPrice, offerPrice, text) => {
    await publishSkus([sku('priced', { currency, actualPrice, offerPrice })]);
    expect(await storeText()).toContain(text);
  });

  it('sends names, descriptions and assets as they were entered', async () => {
    const entered = sku('quotes', {
      name: '"Quotes" \\ and </script> 💎',
      description: 'line\nbreak \u2028',
      assets: [
        {
          assetId: 'a',
          type: 'image/png',
          url: 'https://cdn.example.com/a.png?b=1&c=2',
          tag: 'icon',
          locale: 'pt-BR',
          platform: 'ios',
          width: 1,
          height: 2,
          sha256: 'a'.repeat(64),
        },
        { assetId: 'b', type: 'audio/ogg', url: 'http://localhost:5173/b.ogg' },
      ],
    });
    await publishSkus([entered]);
    const [sent] = JSON.parse(await storeText()).activeSkus;
    expect(sent).toEqual({ ...entered, actualPrice: 9.99, offerPrice: 4.99 });
  });

  it('offers the untargeted store as fallback where the studio wants it', async () => {
    await publishSkus([sku('a')], { sendFallback: false });
    expect(JSON.parse(await storeText()).fallbackConfig).toBeNull();

    const version = await publishSkus([sku('a'), sku('b', { active: false })], { sendFallback: true });
    const store = JSON.parse(await storeText());
    expect(store.fallbackConfig).toEqual({
      version,
      activeSkus: store.activeSkus,
      lastUpdatedTimestamp: store.lastUpdatedTimestamp,
    });
    expect(store.fallbackConfig.activeSkus).toHaveLength(1);
  });

  it('a flag that is published counts for every player at once', async () => {
    await publishSkus([], { payerForDays: null });
    const timestamp = new Date(harness.clock.now()).toISOString();
    await postEvents(harness.app, session, [
      { eventType: 'Purchase', timestamp, payload: { transactionId: 't' } },
    ]);
    const isPayer = async (app: FastifyInstance) =>
      (await get(app, '/v1/player/status', session)).json().isPayer;
    expect(await isPayer(second)).toEqual({ value: true, defaultValue: false, expiredAt: null });

    await publishSkus([], { payerForDays: 1 });
    const expiredAt = new Date(harness.clock.now() + 86_400_000).toISOString();
    for (const app of [second, harness.app]) {
      expect(await isPayer(app)).toEqual({ value: true, defaultValue: false, expiredAt });
    }
  });

  it('numbers versions without gap or duplicate when several publish at once', async () => {
    const versions = await Promise.all(Array.from({ length: 8 }, (_, n) => publishSkus([sku(`race_${n}`)])));
    const lowest = Math.min(...versions);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, n) => lowest + n));
  });
});
