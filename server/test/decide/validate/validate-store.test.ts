import { describe, expect, it } from 'vitest';
import { configWith, offer, problemsOf, sku } from '../support/fixtures.js';

const withPrices = (prices: object) => configWith({ catalogue: [sku('gems', { prices } as never)] });

describe('a catalogue or offer is refused', () => {
  it.each<[string, unknown, string[]]>([
    [
      'a price above the actual one',
      withPrices({ USD: { actualPrice: '5', offerPrice: '6' } }),
      ['/catalogue/0/prices/USD/offerPrice The offer price is above the actual price of 5.'],
    ],
    [
      'a floor above the price',
      withPrices({ USD: { actualPrice: '5', offerPrice: '4', floorPrice: '4.01' } }),
      ['/catalogue/0/prices/USD/floorPrice The floor is above the offer price of 4.'],
    ],
    [
      'decimals that the currency has not',
      withPrices({
        USD: { actualPrice: '5.001', offerPrice: '5' },
        JPY: { actualPrice: '5', offerPrice: '4.5' },
      }),
      [
        '/catalogue/0/prices/USD/actualPrice An amount of USD has 2 decimals at most.',
        '/catalogue/0/prices/JPY/offerPrice An amount of JPY has 0 decimals at most.',
      ],
    ],
    [
      'currencies that are none, and a default without a price',
      withPrices({ QQQ: { actualPrice: '5', offerPrice: '5' } }),
      [
        '/catalogue/0/defaultCurrency There is no price in USD.',
        '/catalogue/0/prices/QQQ/actualPrice "QQQ" is not a currency of ISO 4217.',
      ],
    ],
    [
      "a catalogue price beyond the game's largest discount",
      configWith({
        store: { sendFallback: false, holdoutPercent: 0, largestDiscountPercent: '40' },
        catalogue: [sku('a', { prices: { USD: { actualPrice: '9.99', offerPrice: '5.99' } } })],
      }),
      ["/catalogue/0/prices/USD/offerPrice By the game's largest discount it cannot be below 6.00."],
    ],
    [
      'two texts for one locale',
      configWith({ catalogue: [sku('a', { name: { default: '', locales: { 'de-AT': '', de_at: '' } } })] }),
      ['/catalogue/0/name/locales/de_at There is another text for this locale.'],
    ],
    [
      'an end before the beginning, and moments that are none',
      configWith({
        catalogue: [sku('a', { from: '2026-12-24', until: 'soon' })],
        offers: [offer('a', { from: '2026-12-24T18:00:00Z', until: '2026-12-24T18:00:00.000Z' })],
      }),
      [
        '/catalogue/0/from A time is written with date, time and zone, as in 2026-12-24T18:00:00Z.',
        '/catalogue/0/until A time is written with date, time and zone, as in 2026-12-24T18:00:00Z.',
        '/offers/0/until The end must be after the beginning.',
      ],
    ],
    [
      'SKUs that do not exist or come twice',
      configWith({ catalogue: [sku('gems')], offers: [offer('a', { skus: ['gem', 'gems', 'gems'] })] }),
      [
        '/offers/0/skus/0 There is no SKU "gem". Did you mean "gems"?',
        '/offers/0/skus/2 "gems" is in the list already.',
      ],
    ],
    [
      'a limit without a promotion',
      configWith({ offers: [offer('a', { limitPerPlayer: 1 })] }),
      [
        '/offers/0/limitPerPlayer Purchases are counted by promotion id: a limit needs a promotion id (effect.promoId).',
      ],
    ],
    [
      'a discount and prices that rails would clip, and a missing price',
      configWith({
        store: { sendFallback: false, holdoutPercent: 0, largestDiscountPercent: '50' },
        catalogue: [
          sku('gems', {
            prices: {
              USD: { actualPrice: '10', offerPrice: '10', floorPrice: '6' },
              EUR: { actualPrice: '10', offerPrice: '10' },
            },
          }),
        ],
        offers: [
          offer('a', { effect: { price: { discountPercent: '50.01' } } }),
          offer('b', { effect: { price: { setTo: { USD: '4' } } } }),
          offer('c', { effect: { price: { setTo: { USD: '11', EUR: '9.999' } } } }),
        ],
      }),
      [
        "/offers/0/effect/price/discountPercent The discount is above the game's largest.",
        '/offers/1/effect/price/setTo/USD The price is below the floor price of "gems".',
        '/offers/1/effect/price/setTo/USD The price is below what the game\'s largest discount allows for the price of "gems".',
        '/offers/1/effect/price/setTo There is no price in EUR, in which "gems" is sold.',
        '/offers/2/effect/price/setTo/USD The price is above the actual price of "gems".',
        '/offers/2/effect/price/setTo/EUR An amount of EUR has 2 decimals at most.',
      ],
    ],
  ])('for %s', (_what, document, expected) => {
    expect(problemsOf(document)).toEqual(expected);
  });
});
