import { expect, it } from 'vitest';
import { comingInstants, laterStart } from '../src/lib/coming-instants.js';
import type { ConfigDocument } from '../src/lib/document.js';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const [SATURDAY, MONDAY] = ['2026-11-21T00:00:00.000Z', '2026-11-23T00:00:00.000Z'];

it('lists the next instants at which offers and SKUs begin or end', () => {
  const document = {
    catalogue: [
      { skuId: 'gems', active: true, from: SATURDAY, until: null },
      { skuId: 'off', active: false, from: MONDAY, until: null },
    ],
    offers: [
      { offerId: 'weekend', sharePercent: 100, from: '2026-11-21T01:00:00+01:00', until: MONDAY },
      { offerId: 'past', sharePercent: 100, from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
      { offerId: 'nobody', sharePercent: 0, from: '2026-12-01T00:00:00Z', until: null },
    ],
  } as unknown as ConfigDocument;
  expect(comingInstants(document, NOW)).toEqual([
    { at: SATURDAY, begins: ['sku:gems', 'offer:weekend'], ends: [] },
    { at: MONDAY, begins: [], ends: ['offer:weekend'] },
  ]);
});

it('knows an offer that begins later', () => {
  expect(laterStart('2026-11-21T00:00:00Z', NOW)).toBe(SATURDAY);
  for (const from of [null, undefined, 'x', '2026-11-17T12:00:00Z']) {
    expect(laterStart(from, NOW)).toBeUndefined();
  }
});
