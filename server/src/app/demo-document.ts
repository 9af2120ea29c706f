import { DEFAULT_DOCUMENT } from '../decide/document/default-document.js';
import type { ConfigDocument } from '../decide/document/document.js';
import type { SkuEntry } from '../decide/document/parts/catalogue.js';
import { PREDICTION_NAMES } from '../decide/predict/artefact.js';

const icon = (name: string) => ({
  assetId: `${name}-icon`,
  type: 'image/png',
  url: `https://cdn.example.com/demo-game/${name}.png`,
  tag: 'icon',
  width: 256,
  height: 256,
});

const sku = (
  skuId: string,
  [name, description]: [string, string],
  [actualPrice, offerPrice]: [string, string],
  assets: SkuEntry['assets'],
): SkuEntry => ({
  skuId,
  name: { default: name, locales: {} },
  description: { default: description, locales: {} },
  prices: { USD: { actualPrice, offerPrice } },
  defaultCurrency: 'USD',
  assets,
  active: true,
  from: null,
  until: null,
});

/** What the demo game offers: a small catalogue and one offer for payers. Clients are told all predictions, to try them. */
export const DEMO_DOCUMENT: ConfigDocument = {
  ...DEFAULT_DOCUMENT,
  catalogue: [
    sku('gems_80', ['Handful of Gems', '80 gems to get you started.'], ['0.99', '0.99'], [icon('gems-80')]),
    sku(
      'starter_pack',
      ['Starter Pack', '500 gems, 3 rare heroes and a week without ads.'],
      ['9.99', '4.99'],
      [icon('starter-pack')],
    ),
    sku(
      'gems_1200',
      ['Chest of Gems', '1,200 gems, 20% more for your money.'],
      ['11.99', '10.00'],
      [icon('gems-1200')],
    ),
    sku(
      'season_pass',
      ['Season Pass', 'Daily rewards and exclusive quests for the whole season.'],
      ['14.99', '14.99'],
      [],
    ),
    {
      ...sku(
        'winter_bundle',
        ['Winter Bundle', 'Last season. Kept for players who already own it.'],
        ['19.99', '19.99'],
        [],
      ),
      active: false,
    },
  ],
  store: { ...DEFAULT_DOCUMENT.store, sendFallback: true, largestDiscountPercent: '60' },
  predictions: { visibleToClients: [...PREDICTION_NAMES], off: [] },
  offers: [
    {
      offerId: 'thank_you',
      name: 'Thank you: a quarter off the chest of gems for payers',
      when: 'flags.isPayer',
      from: null,
      until: null,
      sharePercent: 100,
      skus: ['gems_1200'],
      effect: { price: { discountPercent: '25' }, promoId: 'thank-you' },
      limitPerPlayer: 3,
      combine: false,
    },
  ],
};
