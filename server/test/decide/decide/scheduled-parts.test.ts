import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { comingInstants } from '../../../src/decide/document/coming-instants.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { CustomFlagEntry } from '../../../src/decide/document/parts/flags.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { factNeeds } from '../../../src/liveops/evaluations/fact-needs.js';
import { reasonsOf } from '../../../src/liveops/explanations/reasons.js';
import { runs } from '../../support/property-runs.js';
import {
  compiled,
  configWith,
  facts,
  offer,
  PUBLISHED_AT,
  problemsOf,
  sku,
  value,
} from '../support/fixtures.js';

const EVENING: Schedule = {
  days: { every: 'day' },
  from: '18:00',
  to: '20:00',
  zone: 'Europe/Berlin',
  firstDate: null,
  lastDate: null,
  except: [],
};
const LOCAL: Schedule = { ...EVENING, zone: 'player' };
const at = (time: string) => Date.parse(`2026-11-15T${time}:00Z`);
const text = (instant: number) => new Date(instant).toISOString().slice(5, 16);
const inTokyo = facts({ profile: { timeZone: { v: 'Asia/Tokyo', t: PUBLISHED_AT } } });
const flagged = (changes: Partial<CustomFlagEntry>): Pick<ConfigDocument, 'flags'> => ({
  flags: {
    isPayer: { payerForDays: null },
    custom: [{ flagId: 'party', name: 'Party', rule: 'true', defaultValue: false, ...changes }],
  },
});
const scheduledValue = (schedule: Schedule) => ({
  values: [
    value('bonus', {
      defaultValue: 1,
      rules: [
        { when: null, schedule, sharePercent: 100, value: 2 },
        { when: 'country == "DE"', sharePercent: 100, value: 3 },
      ],
    }),
  ],
});
const told = (parts: Partial<ConfigDocument>, now: string, player = facts()) => {
  const decision = decide(compiled(parts), player, at(now));
  const { store, validUntil } = decision;
  return { ...decision, last: text(store.lastUpdatedTimestamp), end: text(validUntil) };
};
const reasons = (parts: Partial<ConfigDocument>, now: string, player = facts()) => {
  const { trace } = decide(compiled(parts), player, at(now), { trace: true });
  if (trace === null) throw new Error('not traced');
  const sources = { document: configWith(parts), facts: player, at: at(now), trace };
  return reasonsOf({ ...sources, nearMisses: new Map() });
};

describe('a rule of a value with a schedule', () => {
  const bonus = (schedule: Schedule, now: string, player = facts()) => {
    const { values, end } = told(scheduledValue(schedule), now, player);
    return [values[0]?.outcome.value, end];
  };

  it('matches within its windows, and what is told ends at the next boundary', () => {
    expect(bonus(EVENING, '16:59')).toEqual([1, '11-15T17:00']);
    expect(bonus(EVENING, '17:00')).toEqual([2, '11-15T19:00']);
    expect(bonus(EVENING, '19:00')).toEqual([1, '11-16T17:00']);
    expect(bonus(LOCAL, '10:00', inTokyo)).toEqual([2, '11-15T11:00']);
  });

  it('is explained', () => {
    expect(reasons(scheduledValue(EVENING), '12:00').values).toEqual([
      'Value bonus is 1, its default: rule 1 has a schedule that is closed, and opens at 2026-11-15T17:00:00.000Z (Europe/Berlin); rule 2 says country == "DE" is false (country = "").',
    ]);
    expect(reasons(scheduledValue(EVENING), '18:00').values).toEqual([
      'Value bonus is 2: rule 1 is for everybody, and its window is open from 2026-11-15T17:00:00.000Z to 2026-11-15T19:00:00.000Z (Europe/Berlin).',
    ]);
  });
});

describe('a flag with a schedule', () => {
  const parts = flagged({ schedule: EVENING });

  it('has its default outside of its windows, and says when it will have it again', () => {
    expect(told(parts, '16:59').flags.party).toEqual({ value: false, defaultValue: false, expiredAt: null });
    expect(told(parts, '16:59').end).toBe('11-15T17:00');
    const open = { value: true, defaultValue: false, expiredAt: '2026-11-15T19:00:00.000Z' };
    expect(told(parts, '17:00').flags.party).toEqual(open);
    expect(told(parts, '19:00').flags.party).toMatchObject({ value: false, expiredAt: null });
  });

  it('names no end where another window begins at once', () => {
    const always = flagged({ schedule: { ...EVENING, from: '00:00', to: '00:00' } });
    expect(told(always, '12:00').flags.party).toEqual({ value: true, defaultValue: false, expiredAt: null });
  });

  it('gives way to an override at any time', () => {
    const override = { flagId: 'party', value: true, setAt: PUBLISHED_AT, until: null };
    expect(told(parts, '12:00', facts({ overrides: [override] })).flags.party?.value).toBe(true);
  });

  it('moves the timestamp of a store that depends on it', () => {
    const document = {
      ...parts,
      catalogue: [sku('gems')],
      offers: [offer('party', { when: 'flags.party' })],
    };
    const price = (now: string) => {
      const { store, last, end } = told(document, now);
      return [store.activeSkus[0]?.offerPrice, last, end];
    };
    expect(price('16:59')).toEqual(['10.00', '11-14T19:00', '11-15T17:00']);
    expect(price('17:30')).toEqual(['9.00', '11-15T17:00', '11-15T19:00']);
    expect(price('19:30')).toEqual(['10.00', '11-15T19:00', '11-16T17:00']);
  });

  it('is explained', () => {
    expect(reasons(parts, '12:00').flags[1]).toBe(
      'Flag party is false, its default: its schedule is closed, and opens at 2026-11-15T17:00:00.000Z (Europe/Berlin).',
    );
    expect(reasons(parts, '18:00').flags[1]).toBe(
      'Flag party is true: true is true, and its window is open from 2026-11-15T17:00:00.000Z to 2026-11-15T19:00:00.000Z (Europe/Berlin).',
    );
  });
});

describe('a SKU with a schedule', () => {
  const parts = { catalogue: [sku('gems', { schedule: EVENING }), sku('coins')] };
  const shown = (now: string, player = facts(), schedule = EVENING) => {
    const { store, last, end } = told({ catalogue: [sku('gems', { schedule }), sku('coins')] }, now, player);
    return [store.activeSkus.map(({ skuId }) => skuId).join(' '), last, end];
  };

  it('is sold within its windows, and the store ends at the next boundary', () => {
    expect(shown('16:59')).toEqual(['coins', '11-14T19:00', '11-15T17:00']);
    expect(shown('17:00')).toEqual(['gems coins', '11-15T17:00', '11-15T19:00']);
    expect(shown('19:00')).toEqual(['coins', '11-15T19:00', '11-16T17:00']);
    expect(shown('10:00', inTokyo, LOCAL)).toEqual(['gems coins', '11-15T09:00', '11-15T11:00']);
  });

  it('is not brought back by an offer, and keeps its list price and basis', () => {
    const offers = [offer('always')];
    expect(told({ ...parts, offers }, '12:00').store.activeSkus.map(({ skuId }) => skuId)).toEqual(['coins']);
    const pricing = { notices: {}, forbiddenAttributes: [], largestSpreadPercent: null };
    const [gems] = told({ ...parts, pricing }, '18:00').store.activeSkus;
    expect(gems).toMatchObject({ skuId: 'gems', priceBasis: 'list' });
  });

  it('is explained', () => {
    expect(reasons(parts, '12:00').skus[0]).toBe(
      'gems is not for sale: its schedule is closed, and opens at 2026-11-15T17:00:00.000Z (Europe/Berlin).',
    );
    expect(reasons(parts, '18:00').skus[0]).toBe(
      'gems costs 10.00 USD: catalogue 10.00, and its window is open from 2026-11-15T17:00:00.000Z to 2026-11-15T19:00:00.000Z (Europe/Berlin).',
    );
  });
});

describe('all parts with a schedule', () => {
  const whole = (schedule: Schedule) => ({
    ...flagged({ schedule }),
    ...scheduledValue(schedule),
    catalogue: [sku('gems', { schedule })],
  });

  it('are looked at where their next window opens and closes', () => {
    expect(comingInstants([configWith(whole(EVENING))], at('12:00')).instants).toEqual(
      [
        { atMs: at('17:00'), begins: ['flag:party', 'sku:gems', 'value:bonus'], ends: [] },
        { atMs: at('19:00'), begins: [], ends: ['flag:party', 'sku:gems', 'value:bonus'] },
      ].map((each) => ({
        ...each,
        begins: expect.arrayContaining(each.begins),
        ends: expect.arrayContaining(each.ends),
      })),
    );
  });

  it.each<[string, Partial<ConfigDocument>]>([
    ['a value', scheduledValue(LOCAL)],
    ['a flag', flagged({ schedule: LOCAL })],
    ['a SKU', { catalogue: [sku('gems', { schedule: LOCAL })] }],
  ])('need the zone of the player: %s', (_what, parts) => {
    expect(factNeeds([compiled(parts)]).profile.has('timeZone')).toBe(true);
    expect(factNeeds([compiled({})]).profile.has('timeZone')).toBe(false);
  });

  it('are refused with a schedule that cannot be', () => {
    const wrong = { ...EVENING, zone: 'Mars/Base' };
    const problem = '"Mars/Base" is not a time zone: write player, studio, or a name such as Europe/Berlin.';
    expect(problemsOf(configWith(whole(wrong))).toSorted()).toEqual([
      `/catalogue/0/schedule/zone ${problem}`,
      `/flags/custom/0/schedule/zone ${problem}`,
      `/values/0/rules/0/schedule/zone ${problem}`,
    ]);
    expect(problemsOf(configWith(flagged({ schedule: EVENING, rule: null })))).toEqual([
      '/flags/custom/0/rule A schedule says when the rule decides: write true for everybody.',
    ]);
  });

  it('that an older release has published wrongly leave the rest as it is', () => {
    const reported: string[] = [];
    const parts = { ...whole({ ...EVENING, zone: 'Mars/Base' }), offers: [offer('sale')] };
    const publication = { version: 1, publishedAt: PUBLISHED_AT };
    const document = compileDocument(configWith(parts), publication, (part) => reported.push(part));
    expect(reported.toSorted()).toEqual(['flag:party', 'sku:gems', 'value:bonus']);
    expect(decide(document, facts(), at('18:00')).flags.party?.value).toBe(false);
  });

  it('tell nothing else before the end that they name, and move the timestamp when the store changes', () => {
    const times = fc.integer({ min: 0, max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:00`);
    const schedules = fc.record({
      days: fc.constantFrom<Schedule['days']>({ every: 'day' }, { every: 'week', weekdays: [1, 3, 7] }),
      from: times,
      lengthMinutes: fc.integer({ min: 1, max: 3000 }),
      zone: fc.constantFrom('player', 'studio', 'Europe/Berlin', 'Australia/Lord_Howe'),
      firstDate: fc.constantFrom(null, '2026-11-12'),
      lastDate: fc.constantFrom(null, '2026-11-20'),
      except: fc.constantFrom<string[]>([], ['2026-11-15']),
    });
    const instants = fc.integer({ min: 0, max: 10 * 24 * 60 }).map((n) => at('00:00') + n * 60_000);
    fc.assert(
      fc.property(
        fc.tuple(schedules, schedules, schedules, schedules),
        fc.constantFrom('Asia/Tokyo', 'America/St_Johns', 'Nowhere'),
        instants,
        instants,
        ([ofFlag, ofValue, ofSku, ofOffer], zone, one, other) => {
          const document = compiled({
            ...flagged({ schedule: ofFlag }),
            ...scheduledValue(ofValue),
            catalogue: [sku('gems', { schedule: ofSku }), sku('coins')],
            offers: [
              offer('party', { when: 'flags.party', skus: ['coins'] }),
              offer('sale', { schedule: ofOffer, skus: ['gems'] }),
            ],
          });
          const player = facts({ profile: { timeZone: { v: zone, t: PUBLISHED_AT } } });
          const [before, after] = [Math.min(one, other), Math.max(one, other)];
          const first = decide(document, player, before);
          const second = decide(document, player, after);
          const said = ({ flags, store, values }: typeof first) =>
            JSON.stringify([flags, store.activeSkus, values.map(({ outcome }) => outcome.name)]);
          if (after < first.validUntil) expect(said(second)).toBe(said(first));
          const { store: was } = first;
          const { store: is } = second;
          expect(is.lastUpdatedTimestamp).toBeGreaterThanOrEqual(was.lastUpdatedTimestamp);
          if (JSON.stringify(is.activeSkus) !== JSON.stringify(was.activeSkus)) {
            expect(is.lastUpdatedTimestamp).toBeGreaterThan(was.lastUpdatedTimestamp);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
