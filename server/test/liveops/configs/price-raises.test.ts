import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, DAY_MS, NOW, offer, segment, sku } from '../../decide/support/fixtures.js';

const priceRaises = (current: ConfigDocument, next: ConfigDocument, now: number) =>
  runSteps(priceRaiseSteps(current, next, now));

const catalogue = [
  sku('gems', {
    prices: { USD: { actualPrice: '10', offerPrice: '10' }, EUR: { actualPrice: '10', offerPrice: '9' } },
  }),
  sku('pass'),
];
const sale = offer('sale', { skus: ['gems'], effect: { price: { setTo: { USD: '5', EUR: '4' } } } });
const current = configWith({ catalogue, offers: [sale] });
const changed = (change: Partial<OfferEntry>): ConfigDocument =>
  configWith({ catalogue, offers: [{ ...sale, ...change }] });

/** Each as `sku: from → to currency`. */
const raises = (next: ConfigDocument, before = current) =>
  priceRaises(before, next, NOW).map(
    ({ skuId, currency, from, to }) => `${skuId}: ${from} → ${to} ${currency}`,
  );

describe('price raises', () => {
  it('finds a price that a running offer raises, and where', () => {
    const next = changed({ effect: { price: { setTo: { USD: '5.01', EUR: '4' } } } });
    expect(priceRaises(current, next, NOW)).toEqual([
      {
        offerId: 'sale',
        skuId: 'gems',
        currency: 'USD',
        from: '5.00',
        to: '5.01',
        at: null,
        pointer: '/offers/0',
      },
    ]);
  });

  it('has nothing to say about lower prices, unchanged ones and other SKUs', () => {
    expect(raises(current)).toEqual([]);
    expect(raises(changed({ effect: { price: { setTo: { USD: '4', EUR: '4' } } } }))).toEqual([]);
    const dearer = sku('pass', { prices: { USD: { actualPrice: '20', offerPrice: '20' } } });
    expect(raises(configWith({ catalogue: [catalogue[0] ?? dearer, dearer], offers: [sale] }))).toEqual([]);
  });

  it('counts an offer that is gone, ends early or leaves the SKU out: the catalogue price is back', () => {
    const back = ['gems: 5.00 → 10.00 USD', 'gems: 4.00 → 9.00 EUR'];
    expect(raises(configWith({ catalogue, offers: [] }))).toEqual(back);
    expect(raises(changed({ until: new Date(NOW).toISOString() }))).toEqual(back);
    expect(raises(changed({ skus: ['pass'] }))).toEqual(back);
    expect(raises(changed({ sharePercent: 0 }))).toEqual(back);
  });

  it('counts a rail or a list price that is raised under the offer', () => {
    const floored = sku('gems', {
      prices: {
        USD: { actualPrice: '10', offerPrice: '10', floorPrice: '6' },
        EUR: { actualPrice: '10', offerPrice: '9' },
      },
    });
    expect(raises(configWith({ catalogue: [floored], offers: [sale] }))).toEqual(['gems: 5.00 → 6.00 USD']);
    const percent = offer('sale', { skus: ['pass'], effect: { price: { discountPercent: '50' } } });
    const before = configWith({ catalogue, offers: [percent] });
    const dearer = sku('pass', { prices: { USD: { actualPrice: '12', offerPrice: '12' } } });
    expect(raises(configWith({ catalogue: [dearer], offers: [percent] }), before)).toEqual([
      'pass: 5.00 → 6.00 USD',
    ]);
  });

  it('ignores offers that do not run now, and SKUs that are no longer sold', () => {
    const later = configWith({ catalogue, offers: [{ ...sale, from: new Date(NOW + 1).toISOString() }] });
    expect(raises(configWith({ catalogue, offers: [] }), later)).toEqual([]);
    expect(raises(configWith({ catalogue: [], offers: [] }))).toEqual([]);
  });

  describe('of offers that a player may no longer get', () => {
    const back = ['gems: 5.00 → 10.00 USD', 'gems: 4.00 → 9.00 EUR'];
    const store = (holdoutPercent: number) => ({ ...current.store, holdoutPercent });

    it.each<[string, Partial<OfferEntry>]>([
      ['whose rule is new', { when: 'flags.isPayer' }],
      ['whose share falls', { sharePercent: 99 }],
      ['that get a limit', { limitPerPlayer: 1, effect: { ...sale.effect, promoId: 'sale' } }],
    ])('those %s', (_what, change) => {
      expect(raises(changed(change))).toEqual(back);
      // The other way round everybody keeps what they have.
      expect(raises(current, changed(change))).toEqual([]);
    });

    it('because more players are held out', () => {
      expect(raises(configWith({ catalogue, offers: [sale], store: store(1) }))).toEqual(back);
      const heldOut = configWith({ catalogue, offers: [sale], store: store(100) });
      expect(raises(heldOut, heldOut)).toEqual([]);
      expect(raises(current, heldOut)).toEqual([]);
    });

    it('because more players are held out of the offer', () => {
      const held = (holdoutPercent: number) =>
        configWith({ catalogue, offers: [{ ...sale, holdoutPercent }] });
      expect(raises(held(1))).toEqual(back);
      expect(raises(held(2), held(1))).toEqual(back);
      expect(raises(held(2), held(2))).toEqual([]);
      expect(raises(current, held(2))).toEqual([]);
    });

    it('because a rule behind theirs has changed', () => {
      const when = 'segment("big") || flags.vip';
      const withRules = (big: string, vip: string, isPayer = { payerForDays: null as number | null }) =>
        configWith({
          catalogue,
          offers: [{ ...sale, when }],
          segments: [segment('big', 'segment("bigger") && flags.isPayer'), segment('bigger', big)],
          flags: { isPayer, custom: [{ flagId: 'vip', name: 'VIP', rule: vip, defaultValue: false }] },
        });
      const before = withRules('purchases.total > 3', 'country == "DE"');
      expect(raises(before, before)).toEqual([]);
      expect(raises(withRules('purchases.total > 4', 'country == "DE"'), before)).toEqual(back);
      expect(raises(withRules('purchases.total > 3', 'country == "AT"'), before)).toEqual(back);
      const shorter = withRules('purchases.total > 3', 'country == "DE"', { payerForDays: 30 });
      expect(raises(shorter, before)).toEqual(back);
    });
  });

  it('reports an offer of a flag whose rule decides at other times', () => {
    const withHours = (to: string, name = 'VIP') =>
      configWith({
        catalogue,
        offers: [{ ...sale, when: 'flags.vip' }],
        flags: {
          isPayer: { payerForDays: null },
          custom: [
            {
              ...{ flagId: 'vip', name, rule: 'true', defaultValue: false },
              schedule: {
                ...{ days: { every: 'day' }, from: '08:00', to, zone: 'UTC' },
                ...{ firstDate: null, lastDate: null, except: [] },
              },
            },
          ],
        },
      });
    expect(raises(withHours('12:00'), withHours('20:00'))).toEqual([
      'gems: 5.00 → 10.00 USD',
      'gems: 4.00 → 9.00 EUR',
    ]);
    expect(raises(withHours('20:00', 'Very important'), withHours('20:00'))).toEqual([]);
  });

  describe.each(['player', 'studio', 'Europe/Berlin'])('of offers with windows in the zone %s', (zone) => {
    const back = ['gems: 5.00 → 10.00 USD', 'gems: 4.00 → 9.00 EUR'];
    const today = new Date(NOW).getUTCDay() || 7;
    const otherDays = [1, 2, 3, 4, 5, 6, 7].filter((weekday) => weekday !== today);
    const windows = (weekdays: number[], lastDate: string | null = null) =>
      changed({
        schedule: {
          ...{ days: { every: 'week', weekdays }, from: '00:00', to: '00:00', zone },
          ...{ firstDate: null, lastDate, except: [] },
        },
      });
    const everyDay = windows([...otherDays, today]);

    it('counts windows that are closed today as they would be closed in the zone of the studio', () => {
      expect(raises(windows(otherDays))).toEqual(back);
      expect(raises(windows(otherDays), everyDay)).toEqual(back);
      expect(raises(windows([...otherDays, today], '2020-01-01'), everyDay)).toEqual(back);
      expect(raises(everyDay, everyDay)).toEqual([]);
      expect(raises(current, everyDay)).toEqual([]);
    });

    it('asks about the next window of players elsewhere whose window may be open now', () => {
      const closedHere = windows(otherDays);
      expect(raises(closedHere, closedHere)).toEqual([]);
      expect(raises(configWith({ catalogue, offers: [] }), closedHere)).toEqual(
        zone === 'player' ? back : [],
      );
    });
  });

  describe('of offers that others get in the way of', () => {
    const back = ['gems: 5.00 → 10.00 USD', 'gems: 4.00 → 9.00 EUR'];
    const badge = { assetId: 'b', type: 'image/png', url: 'https://cdn.example.com/b.png' };
    const plain = offer('plain', { effect: { badges: [badge] } });
    const withOffers = (...offers: OfferEntry[]) => configWith({ catalogue, offers });

    it('by a new one, put before them, that does not combine', () => {
      expect(raises(withOffers(plain, sale))).toEqual(back);
      expect(raises(withOffers({ ...plain, skus: ['pass'] }, sale))).toEqual([]);
      expect(raises(withOffers({ ...plain, combine: true }, sale))).toEqual([]);
      expect(raises(withOffers(sale, plain))).toEqual([]);
    });

    it('only as far as that one is dearer', () => {
      const setTo = (USD: string) => offer('other', { effect: { price: { setTo: { USD, EUR: '1' } } } });
      expect(raises(withOffers(setTo('7'), sale))).toEqual(['gems: 5.00 → 7.00 USD']);
      expect(raises(withOffers(setTo('5'), sale))).toEqual([]);
      // The dearest of several.
      expect(raises(withOffers(setTo('2'), { ...setTo('8'), offerId: 'third' }, sale))).toEqual([
        'gems: 5.00 → 8.00 USD',
      ]);
    });

    it('by one that was there, but behind, smaller, combining or for fewer', () => {
      const after = withOffers(plain, sale);
      expect(raises(after, after)).toEqual([]);
      expect(raises(after, withOffers(sale, plain))).toEqual(back);
      expect(raises(after, withOffers({ ...plain, skus: ['pass'] }, sale))).toEqual(back);
      expect(raises(after, withOffers({ ...plain, combine: true }, sale))).toEqual(back);
      expect(raises(after, withOffers({ ...plain, sharePercent: 5 }, sale))).toEqual(back);
      expect(raises(after, withOffers({ ...plain, when: 'flags.isPayer' }, sale))).toEqual(back);
      const later = { ...plain, from: new Date(NOW + 1).toISOString() };
      expect(raises(after, withOffers(later, sale))).toEqual(back);
      expect(raises(withOffers({ ...plain, sharePercent: 5 }, sale), after)).toEqual([]);
    });

    it('by one that they no longer combine with', () => {
      const combining = { ...sale, combine: true };
      expect(raises(withOffers(plain, sale), withOffers(plain, combining))).toEqual(back);
    });

    it('by one that combines and sets a price after theirs', () => {
      const dear = offer('dear', { effect: { price: { setTo: { USD: '8' } } }, combine: true });
      expect(raises(withOffers(sale, dear))).toEqual(['gems: 5.00 → 8.00 USD']);
      expect(raises(withOffers(sale, dear), withOffers(sale, dear))).toEqual([]);
      expect(raises(withOffers(dear, sale))).toEqual([]);
    });
  });

  describe('that begin later', () => {
    const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
    const dear = offer('dear', { effect: { price: { setTo: { USD: '7', EUR: '4' } } } });
    const withOffers = (...offers: OfferEntry[]) => configWith({ catalogue, offers });
    /** Each as `price in USD, then`. */
    const later = (next: ConfigDocument, before = current) =>
      priceRaises(before, next, NOW)
        .filter(({ currency }) => currency === 'USD')
        .map(({ to, at }) => `${to} ${at ?? 'at once'}`);

    it('because a running offer is given an end, or an earlier one', () => {
      expect(later(changed({ until: inDays(3) }))).toEqual([`10.00 ${inDays(3)}`]);
      expect(later(changed({ until: inDays(3) }), changed({ until: inDays(9) }))).toEqual([
        `10.00 ${inDays(3)}`,
      ]);
      expect(later(changed({ until: inDays(9) }), changed({ until: inDays(3) }))).toEqual([]);
      expect(later(changed({ until: inDays(3) }), changed({ until: inDays(3) }))).toEqual([]);
    });

    it('because a dearer offer comes before it then', () => {
      const saturday = { ...dear, from: inDays(4), until: inDays(6) };
      expect(later(withOffers(saturday, sale))).toEqual([`7.00 ${inDays(4)}`]);
      expect(later(withOffers(sale, saturday))).toEqual([]);
      expect(later(withOffers(saturday, sale), withOffers(saturday, sale))).toEqual([]);
      // The running offer has ended by then.
      const ending = { ...sale, until: inDays(2) };
      expect(later(withOffers(saturday, ending), withOffers(ending))).toEqual([]);
    });

    it('are listed again where the price goes up further', () => {
      const [first, second] = [
        { ...dear, from: inDays(1), until: inDays(2) },
        { ...dear, offerId: 'dearer', from: inDays(3), effect: { price: { setTo: { USD: '9', EUR: '4' } } } },
      ];
      const dearerNow = { ...sale, effect: { price: { setTo: { USD: '6', EUR: '4' } } } };
      expect(later(withOffers(first, second, dearerNow))).toEqual([
        '6.00 at once',
        `7.00 ${inDays(1)}`,
        `9.00 ${inDays(3)}`,
      ]);
    });

    it('but not of an offer that has not begun: nobody has seen its price', () => {
      const scheduled = withOffers({ ...sale, from: inDays(1) });
      expect(later(withOffers(), scheduled)).toEqual([]);
      expect(later(withOffers({ ...sale, from: inDays(2) }), scheduled)).toEqual([]);
    });

    it('of changed offers, however long the calendar is', () => {
      const calendar = Array.from({ length: 30 }, (_, n) =>
        offer(`day_${n}`, { skus: ['pass'], from: inDays(n + 1) }),
      );
      const next = withOffers({ ...sale, until: inDays(60) }, ...calendar);
      const before = withOffers(sale, ...calendar);
      const found = runSteps(priceRaiseSteps(before, next, NOW, new Set(['offers/sale'])));
      expect(found.map(({ at }) => at)).toEqual([inDays(60), inDays(60)]);
    });
  });

  it('has nothing to say about plain edits', () => {
    const badges = [{ assetId: 'b', type: 'image/png', url: 'https://cdn.example.com/b.png' }];
    expect(
      raises(changed({ name: 'Another name', effect: { ...sale.effect, badges, promoId: 'p' } })),
    ).toEqual([]);
    const unrelated = offer('unrelated', { skus: ['pass'] });
    expect(raises(configWith({ catalogue, offers: [unrelated, sale] }))).toEqual([]);
    const segments = [segment('new', 'true')];
    expect(raises(configWith({ catalogue, offers: [sale], segments }))).toEqual([]);
  });

  it('stops at a thousand', () => {
    const many = Array.from({ length: 600 }, (_, n) => ({
      ...(catalogue[0] ?? sku('')),
      skuId: `gems:${n}`,
    }));
    const everywhere: OfferEntry = { ...sale, skus: 'all' };
    const before = configWith({ catalogue: many, offers: [everywhere] });
    expect(priceRaises(before, configWith({ catalogue: many, offers: [] }), NOW)).toHaveLength(1000);
  });
});
