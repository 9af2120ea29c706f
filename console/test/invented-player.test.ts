import { describe, expect, it } from 'vitest';
import { attributesRead, descriptionsOf, matchingUsages, usagesOf } from '../src/lib/attribute-usages.js';
import { canBeInvented, inventedFacts, valueProblem } from '../src/lib/invented-player.js';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');

describe('the facts of an invented player', () => {
  it('are none where nothing is typed', () => {
    expect(inventedFacts({}, NOW)).toEqual({});
    expect(inventedFacts({ country: ' ', 'purchases.total': '' }, NOW)).toEqual({});
  });

  it('hold what is known of the device, and the currency', () => {
    expect(inventedFacts({ country: 'DE', os: 'Android', currency: 'EUR' }, NOW)).toEqual({
      profile: { country: 'DE', osName: 'Android', currency: 'EUR' },
    });
  });

  it('lay times back from now', () => {
    expect(inventedFacts({ daysSinceFirstSeen: '10', daysSinceLastEvent: '2' }, NOW)).toEqual({
      createdAt: '2026-11-05T12:00:00.000Z',
      lastEventAt: '2026-11-13T12:00:00.000Z',
    });
  });

  it('have a last purchase with purchases, by default now', () => {
    expect(inventedFacts({ 'purchases.total': '3' }, NOW)).toEqual({
      purchaseCount: 3,
      lastPurchaseAt: '2026-11-15T12:00:00.000Z',
    });
    expect(inventedFacts({ 'purchases.total': '3', daysSinceLastPurchase: '9' }, NOW)).toMatchObject({
      lastPurchaseAt: '2026-11-06T12:00:00.000Z',
    });
    expect(inventedFacts({ daysSinceLastPurchase: '9' }, NOW)).toEqual({});
  });

  it('put what is of this week on today, and the rest of the month on a week ago', () => {
    expect(inventedFacts({ 'spend["USD"].last7d': '5.5', 'spend["USD"].last28d': '8' }, NOW)).toEqual({
      spend: { USD: 8 },
      days: [
        { day: '2026-11-15', revenue: { USD: 5.5 } },
        { day: '2026-11-08', revenue: { USD: 2.5 } },
      ],
    });
    expect(inventedFacts({ 'sessions.last7d': '4', 'playMinutes.last7d': '2' }, NOW)).toEqual({
      eventCounts: { Session_Start: 4 },
      days: [{ day: '2026-11-15', sessions: 4, playMs: 120_000 }],
    });
  });

  it('spread active days, with as many events as are wanted', () => {
    expect(inventedFacts({ 'activeDays.last7d': '2', 'eventCount.last7d': '5' }, NOW)).toEqual({
      eventCount: 5,
      days: [
        { day: '2026-11-15', events: 4 },
        { day: '2026-11-14', events: 1 },
      ],
    });
  });

  it('count events of any type, and set flags', () => {
    expect(inventedFacts({ 'events["Win \\"big\\""].total': '7', 'flags.isPayer': 'true' }, NOW)).toEqual({
      eventCounts: { 'Win "big"': 7 },
      overrides: [{ flagId: 'isPayer', value: true }],
    });
  });

  it('leave out what is not right, which the form says', () => {
    expect(inventedFacts({ 'purchases.total': 'two', 'spend["USD"].total': '-1' }, NOW)).toEqual({});
    expect(valueProblem('purchases.total', 'two')).toBe('A whole number');
    expect(valueProblem('spend["USD"].total', '1,5')).toBe('An amount such as 4.99');
    expect(valueProblem('flags.isPayer', 'yes')).toBe('true or false');
    expect(valueProblem('country', 'DE')).toBeUndefined();
  });

  it('are nothing that follows from others', () => {
    expect(canBeInvented('predictions.churn.value')).toBe(false);
    expect(canBeInvented('"payer" in segments')).toBe(false);
    expect(canBeInvented('purchases.total')).toBe(true);
  });
});

describe('the attributes that a rule reads', () => {
  it('are found through the segments that it names, also in a circle', () => {
    const segment = (segmentId: string, rule: string) => ({
      ...{ segmentId, rule, name: '', visibleToClients: false, priority: 0 },
    });
    const document = {
      segments: [
        segment('a', 'country == "DE" && "b" in segments'),
        segment('b', 'flags.isPayer && "a" in segments'),
      ],
    };
    expect(attributesRead('purchases.total > 1 && "a" in segments', document)).toEqual([
      'purchases.total',
      'country',
      'flags.isPayer',
    ]);
    expect(attributesRead('country in ["DE"] || flags.isPayer', document)).toEqual([
      'country',
      'flags.isPayer',
    ]);
    expect(attributesRead('country == "DE" ? true : flags.isPayer', document)).toEqual([]);
  });
});

describe('the attributes of rules', () => {
  const attributes = [
    {
      ...{ name: 'spend', usage: 'spend["USD"].total', type: 'map<string, Amounts>', key: 'currency' },
      meaning: 'Money spent by currency.',
      fields: [
        { name: 'total', type: 'double', meaning: 'of all time' },
        { name: 'last28d', type: 'double', meaning: 'of the last 28 days' },
      ],
    },
    { name: 'country', usage: 'country', type: 'string', meaning: 'Of the device.', key: null, fields: [] },
  ];
  const descriptions = descriptionsOf(attributes);

  it('have a type and a description for each field', () => {
    expect([...usagesOf(attributes)]).toEqual([
      ['spend["USD"].total', 'double'],
      ['spend["USD"].last28d', 'double'],
      ['country', 'string'],
    ]);
    expect([...descriptions]).toEqual([
      ['spend["USD"].total', 'Money spent by currency. total: of all time'],
      ['spend["USD"].last28d', 'Money spent by currency. last28d: of the last 28 days'],
      ['country', 'Of the device.'],
    ]);
  });

  it('are found by name and by description, and all are listed beside a complete name', () => {
    expect(matchingUsages(descriptions, 'COUN')).toEqual(['country']);
    expect(matchingUsages(descriptions, 'money')).toEqual(['spend["USD"].total', 'spend["USD"].last28d']);
    expect(matchingUsages(descriptions, 'country')).toHaveLength(3);
    expect(matchingUsages(descriptions, '')).toHaveLength(3);
    expect(matchingUsages(descriptions, 'zodiac')).toEqual([]);
  });
});
