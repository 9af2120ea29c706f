import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/features/personalisation/compile-document.js';
import { decide } from '../../../src/features/personalisation/decide.js';
import { storeJson } from '../../../src/features/personalisation/store-json.js';
import {
  compiled,
  configWith,
  DAY_MS,
  facts,
  NOW,
  offer,
  PUBLISHED_AT,
  payer,
  segment,
  sku,
} from './fixtures.js';

const iso = (moment: number) => new Date(moment).toISOString();
const HOUR_MS = 3_600_000;

describe('flags', () => {
  const withPayerDays = (payerForDays: number | null) =>
    compiled({ flags: { isPayer: { payerForDays }, custom: [] } });

  it('isPayer: from the first purchase, for ever or for so many days, to the millisecond', () => {
    expect(decide(withPayerDays(null), facts(), NOW).flags.isPayer).toEqual({
      value: false,
      defaultValue: false,
      expiredAt: null,
    });
    expect(decide(withPayerDays(null), payer(), NOW + 9999 * DAY_MS).flags.isPayer?.value).toBe(true);
    const end = NOW + 30 * DAY_MS;
    const last = decide(withPayerDays(30), payer(), end - 1);
    expect(last.flags.isPayer).toEqual({ value: true, defaultValue: false, expiredAt: iso(end) });
    expect(last.validUntil).toBe(end);
    expect(decide(withPayerDays(30), payer(), end).flags.isPayer).toEqual({
      value: false,
      defaultValue: false,
      expiredAt: iso(end),
    });
  });

  it('of the studio: by rule, by default without one, and by default if the rule fails', () => {
    const errors: string[] = [];
    const document = compiled({
      flags: {
        isPayer: { payerForDays: null },
        custom: [
          { flagId: 'big', name: 'Big', rule: 'purchases.total >= 1', defaultValue: false },
          { flagId: 'manual', name: 'Manual', rule: null, defaultValue: true },
          { flagId: 'broken', name: 'Broken', rule: '1 / purchases.total > 0', defaultValue: true },
        ],
      },
    });
    const { flags } = decide(document, facts(), NOW, { onError: (part) => errors.push(part) });
    expect(Object.entries(flags).map(([flagId, { value }]) => [flagId, value])).toEqual([
      ['isPayer', false],
      ['big', false],
      ['manual', true],
      ['broken', true],
    ]);
    expect(errors).toEqual(['flag:broken']);
    expect(decide(document, payer(), NOW).flags.big?.value).toBe(true);
  });

  describe('overridden', () => {
    const until = NOW + HOUR_MS;
    const override = (value: boolean, end: number | null) => [
      { flagId: 'isPayer', value, setAt: NOW, until: end },
    ];
    const isPayer = (player: ReturnType<typeof facts>, now: number, days: number | null = null) => {
      const { flags, validUntil } = decide(withPayerDays(days), player, now);
      return { ...flags.isPayer, validUntil };
    };

    it('until its end, after which the value is the default', () => {
      const player = facts({ overrides: override(true, until) });
      expect(isPayer(player, NOW)).toMatchObject({ value: true, expiredAt: iso(until), validUntil: until });
      expect(isPayer(player, until)).toMatchObject({ value: false, expiredAt: null, validUntil: Infinity });
      expect(isPayer(player, NOW - 1)).toMatchObject({ value: false, expiredAt: null, validUntil: NOW });
    });

    it('for ever', () => {
      expect(isPayer(facts({ overrides: override(true, null) }), NOW)).toMatchObject({
        value: true,
        expiredAt: null,
      });
    });

    it('with no end that clients could mistake: one who has paid stays a payer after it', () => {
      expect(isPayer(payer({ overrides: override(true, until) }), NOW)).toMatchObject({ expiredAt: null });
      expect(isPayer(payer({ overrides: override(true, until) }), NOW, 1)).toMatchObject({
        expiredAt: iso(NOW + DAY_MS),
      });
      expect(isPayer(payer({ overrides: override(false, until) }), NOW)).toMatchObject({
        value: false,
        expiredAt: null,
        validUntil: until,
      });
    });

    it('by the one set last', () => {
      const overrides = [
        ...override(true, null),
        { flagId: 'isPayer', value: false, setAt: NOW - 1, until: null },
      ];
      expect(isPayer(facts({ overrides }), NOW)).toMatchObject({ value: true });
    });
  });
});

describe('segments', () => {
  it('may refer to others that stand behind them, and are listed by priority', () => {
    const document = compiled({
      segments: [
        segment('c', 'segment("b") && flags.isPayer'),
        segment('b', '"a" in segments', { priority: 5, visibleToClients: false }),
        segment('a', 'purchases.total > 0'),
        segment('never', '!segment("a")'),
      ],
    });
    expect(decide(document, payer(), NOW).segments).toEqual([
      { segmentId: 'b', name: 'Name of b', visibleToClients: false },
      { segmentId: 'c', name: 'Name of c', visibleToClients: true },
      { segmentId: 'a', name: 'Name of a', visibleToClients: true },
    ]);
    expect(decide(document, facts(), NOW).segments.map(({ segmentId }) => segmentId)).toEqual(['never']);
  });

  it('do not hold a player whose rule fails, which is reported each time', () => {
    const errors: string[] = [];
    const document = compiled({ segments: [segment('broken', '1 / purchases.total > 0')] });
    const { segments } = decide(document, facts(), NOW, {
      onError: (part, error) => errors.push(`${part}: ${(error as Error).message}`),
    });
    expect(segments).toEqual([]);
    expect(errors).toEqual(['segment:broken: division by zero']);
  });
});

describe('offers', () => {
  const SALE = { effect: { price: { discountPercent: '20' }, promoId: 'sale' } } as const;
  const pricesOf = (document: ReturnType<typeof compiled>, player = facts(), now = NOW) =>
    decide(document, player, now).store.activeSkus.map(({ skuId, offerPrice }) => `${skuId} ${offerPrice}`);

  it('begin and end to the millisecond, and move the last update', () => {
    const [from, until] = [NOW + HOUR_MS, NOW + 3 * HOUR_MS];
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('happy_hour', { ...SALE, from: iso(from), until: iso(until) })],
    });
    const at = (now: number) => {
      const { store, validUntil } = decide(document, facts(), now);
      const price = store.activeSkus[0]?.offerPrice;
      return [price, store.userSpecificPromoId, store.lastUpdatedTimestamp, validUntil];
    };
    expect(at(from - 1)).toEqual(['10.00', null, PUBLISHED_AT, from]);
    expect(at(from)).toEqual(['8.00', 'sale', from, until]);
    expect(at(until - 1)).toEqual(['8.00', 'sale', from, until]);
    expect(at(until)).toEqual(['10.00', null, until, Infinity]);
  });

  it('that do not apply to a player do not move the last update either', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('payers', { ...SALE, when: 'flags.isPayer', from: iso(NOW - HOUR_MS) })],
    });
    expect(decide(document, facts(), NOW).store.lastUpdatedTimestamp).toBe(PUBLISHED_AT);
    expect(decide(document, payer({ lastPurchaseAt: NOW - 1 }), NOW).store.lastUpdatedTimestamp).toBe(
      NOW - 1,
    );
  });

  it('a purchase is noticed at once: segment, offer, promotion and price', () => {
    const document = compiled({
      segments: [segment('payer', 'flags.isPayer')],
      catalogue: [sku('gems')],
      offers: [offer('thanks', { ...SALE, when: 'segment("payer")' })],
    });
    expect(decide(document, facts(), NOW).store.userSpecificPromoId).toBeNull();
    const { store, segments } = decide(document, payer(), NOW);
    expect(segments.map(({ segmentId }) => segmentId)).toEqual(['payer']);
    expect(store).toMatchObject({
      userSpecificPromoId: 'sale',
      lastUpdatedTimestamp: NOW,
      activeSkus: [{ skuId: 'gems', actualPrice: '10.00', offerPrice: '8.00' }],
    });
  });

  it('by a rule about time hold until the rule can change its answer', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('welcome', { ...SALE, when: 'daysSinceFirstSeen < 7' })],
    });
    const end = NOW + 7 * DAY_MS;
    expect(decide(document, facts(), NOW).validUntil).toBe(NOW + DAY_MS);
    expect(decide(document, facts(), end - 1).validUntil).toBe(end);
    expect(pricesOf(document, facts(), end - 1)).toEqual(['gems 8.00']);
    expect(pricesOf(document, facts(), end)).toEqual(['gems 10.00']);
  });

  it('the first that matches wins a SKU; those marked combine apply as well, wherever they stand', () => {
    const percent = (discountPercent: string) => ({ effect: { price: { discountPercent } } });
    const first = offer('first', { ...percent('10'), skus: ['gems'] });
    const second = offer('second', percent('50'));
    const extra = offer('extra', { ...percent('10'), combine: true });
    const catalogue = [sku('gems'), sku('pass')];
    expect(pricesOf(compiled({ catalogue, offers: [first, second] }))).toEqual(['gems 9.00', 'pass 5.00']);
    expect(pricesOf(compiled({ catalogue, offers: [first, second, extra] }))).toEqual([
      'gems 8.10',
      'pass 4.50',
    ]);
    expect(pricesOf(compiled({ catalogue, offers: [extra, first, second] }))).toEqual([
      'gems 8.10',
      'pass 4.50',
    ]);
  });

  it('stop after so many purchases with their promotion', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('once', { ...SALE, limitPerPlayer: 2 })],
    });
    expect(pricesOf(document, facts({ promoPurchases: { sale: 1 } }))).toEqual(['gems 8.00']);
    expect(pricesOf(document, facts({ promoPurchases: { sale: 2 } }))).toEqual(['gems 10.00']);
  });

  it('show what is hidden and hide what is not, but never what is inactive or out of time', () => {
    const document = compiled({
      catalogue: [
        sku('secret', { hidden: true }),
        sku('plain'),
        sku('gone', { active: false }),
        sku('later', { from: iso(NOW + 1) }),
      ],
      offers: [
        offer('show', {
          effect: { visibility: 'show' },
          skus: ['secret', 'gone', 'later'],
          when: 'flags.isPayer',
        }),
        offer('hide', { effect: { visibility: 'hide' }, skus: ['plain'], when: 'flags.isPayer' }),
      ],
    });
    expect(pricesOf(document)).toEqual(['plain 10.00']);
    expect(pricesOf(document, payer())).toEqual(['secret 10.00']);
  });

  it('set a price per currency, and leave the others alone', () => {
    const catalogue = [
      sku('gems', {
        prices: {
          USD: { actualPrice: '10', offerPrice: '9' },
          JPY: { actualPrice: '1000', offerPrice: '900' },
        },
      }),
    ];
    const document = compiled({
      catalogue,
      offers: [offer('yen', { effect: { price: { setTo: { JPY: '750' } } } })],
    });
    expect(pricesOf(document)).toEqual(['gems 9.00']);
    expect(pricesOf(document, facts({ profile: { currency: { v: 'JPY', t: 1 } } }))).toEqual(['gems 750']);
    expect(pricesOf(document, facts({ spend: { JPY: 100 } }))).toEqual(['gems 750']);
    expect(pricesOf(document, facts({ spend: { JPY: 100, USD: 1 } }))).toEqual(['gems 9.00']);
    expect(pricesOf(document, facts({ profile: { currency: { v: 'CHF', t: 1 } } }))).toEqual(['gems 9.00']);
  });

  it('are nothing to a player who is held out', () => {
    const document = compiled({
      store: { sendFallback: false, holdoutPercent: 100, largestDiscountPercent: '100' },
      catalogue: [sku('gems')],
      offers: [offer('sale', { ...SALE, from: iso(NOW - HOUR_MS) })],
    });
    const { store, heldOut, validUntil, trace } = decide(document, facts(), NOW, { trace: true });
    expect(heldOut).toBe(true);
    expect(validUntil).toBe(Infinity);
    expect(store).toMatchObject({ userSpecificPromoId: null, lastUpdatedTimestamp: PUBLISHED_AT });
    expect(store.activeSkus[0]?.offerPrice).toBe('10.00');
    expect(trace?.offers[0]?.outcome).toBe('held_out');
  });

  it('that fail altogether leave the untargeted store, and are reported', () => {
    const good = compiled({ catalogue: [sku('gems')], offers: [offer('sale', SALE)] });
    const [first] = good.offers;
    if (first === undefined) throw new Error('no offer');
    const broken = Object.defineProperty({ ...first }, 'skus', {
      get: () => {
        throw new Error('a mistake in the code');
      },
    });
    const errors: string[] = [];
    const { store, validUntil } = decide({ ...good, offers: [first, broken] }, facts(), NOW, {
      onError: (part, error) => errors.push(`${part}: ${(error as Error).message}`),
    });
    expect(store.activeSkus.map(({ offerPrice }) => offerPrice)).toEqual(['10.00']);
    expect(store.userSpecificPromoId).toBeNull();
    expect(errors).toEqual(['store: a mistake in the code']);
    expect(validUntil).toBe(NOW + 1);
  });
});

describe('the store', () => {
  const translated = sku('gems', {
    name: { default: 'Gems', locales: { de: 'Edelsteine', 'de-AT': 'Klunker' } },
    description: { default: 'Shiny', locales: { de: 'Glänzend' } },
  });

  it.each([
    [undefined, 'Gems', 'Shiny'],
    ['en-US', 'Gems', 'Shiny'],
    ['de', 'Edelsteine', 'Glänzend'],
    ['de_CH', 'Edelsteine', 'Glänzend'],
    ['DE-at', 'Klunker', 'Glänzend'],
    ['de-AT-1996', 'Klunker', 'Glänzend'],
    ['-', 'Gems', 'Shiny'],
  ])('speaks %s', (locale, name, description) => {
    const player = facts(locale === undefined ? {} : { profile: { locale: { v: locale, t: 1 } } });
    const document = compiled({ catalogue: [translated] });
    expect(decide(document, player, NOW).store.activeSkus[0]).toMatchObject({ name, description });
  });

  it('sells a SKU from the beginning to the end of its schedule, to the millisecond', () => {
    const [from, until] = [NOW + HOUR_MS, NOW + 2 * HOUR_MS];
    const document = compiled({ catalogue: [sku('flash', { from: iso(from), until: iso(until) })] });
    const at = (now: number) => {
      const { store, validUntil } = decide(document, facts(), now);
      return [store.activeSkus.length, store.lastUpdatedTimestamp, validUntil];
    };
    expect(at(from - 1)).toEqual([0, PUBLISHED_AT, from]);
    expect(at(from)).toEqual([1, from, until]);
    expect(at(until - 1)).toEqual([1, from, until]);
    expect(at(until)).toEqual([0, until, Infinity]);
  });

  it('is sent as exact JSON, with the untargeted one to fall back on', () => {
    const badge = { assetId: 'b', type: 'image/png', url: 'https://cdn.example.com/b.png' };
    const document = compiled({
      store: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '100' },
      catalogue: [sku('gems')],
      offers: [
        offer('sale', { effect: { price: { discountPercent: '50' }, badges: [badge], promoId: 'x"y' } }),
      ],
    });
    const head =
      '{"skuId":"gems","name":"Name of gems","description":"About gems","actualPrice":10.00,"offerPrice":';
    expect(storeJson(decide(document, facts(), NOW).store)).toBe(
      `{"activeSkus":[${head}5.00,"currency":"USD","assets":[${JSON.stringify(badge)}],"active":true}],` +
        `"lastUpdatedTimestamp":${PUBLISHED_AT},"userSpecificPromoId":"x\\"y","fallbackConfig":{"version":7,` +
        `"activeSkus":[${head}10.00,"currency":"USD","assets":[],"active":true}],"lastUpdatedTimestamp":${PUBLISHED_AT}}}`,
    );
  });
});

describe('a document that cannot be used as a whole', () => {
  it('is used as far as it can be, and says what is left out', () => {
    const unusable: string[] = [];
    const document = compileDocument(
      configWith({
        segments: [segment('a', 'segment("b")'), segment('b', 'segment("a")'), segment('odd', 'nonsense')],
        catalogue: [sku('good'), sku('bad', { defaultCurrency: 'EUR' })],
        offers: [offer('lost', { when: 'nonsense' }), offer('timeless', { from: 'soon' }), offer('fine')],
      }),
      { version: 1, publishedAt: 0 },
      (part) => unusable.push(part),
    );
    expect(unusable.sort()).toEqual([
      'offer:lost',
      'offer:timeless',
      'segment:a',
      'segment:b',
      'segment:odd',
      'sku:bad',
    ]);
    const { store, segments } = decide(document, facts(), NOW);
    expect(segments).toEqual([]);
    expect(store.activeSkus.map(({ skuId, offerPrice }) => [skuId, offerPrice])).toEqual([['good', '9.00']]);
  });
});
