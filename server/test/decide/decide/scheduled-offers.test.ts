import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/decide/decide/decide.js';
import { comingInstants } from '../../../src/decide/document/coming-instants.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { reasonsOf } from '../../../src/liveops/explanations/reasons.js';
import { compiled, configWith, facts, offer, PUBLISHED_AT, problemsOf, sku } from '../support/fixtures.js';

const EVENING: Schedule = {
  days: { every: 'day' },
  from: '18:00',
  to: '20:00',
  zone: 'Europe/Berlin',
  firstDate: null,
  lastDate: null,
  except: [],
};
const at = (time: string) => Date.parse(`2026-11-15T${time}:00Z`);
const inZone = (zone: string, reportedAt = PUBLISHED_AT) =>
  facts({ profile: { timeZone: { v: zone, t: reportedAt } } });
const parts = (schedule: Schedule, studioZone?: string) => ({
  catalogue: [sku('gems')],
  offers: [offer('evening', { schedule })],
  ...(studioZone === undefined ? {} : { calendar: { studioZone } }),
});

/** Price, last change and end of what a player is told, the times of this day as `HH:MM`. */
function told(schedule: Schedule, now: string, player = facts(), studioZone?: string) {
  const { store, validUntil } = decide(compiled(parts(schedule, studioZone)), player, at(now));
  const text = (instant: number) => new Date(instant).toISOString().slice(5, 16);
  return [store.activeSkus[0]?.offerPrice, text(store.lastUpdatedTimestamp), text(validUntil)];
}

describe('an offer with a schedule', () => {
  it('applies within its windows, and what is told ends at the next boundary', () => {
    expect(told(EVENING, '16:59')).toEqual(['10.00', '11-14T19:00', '11-15T17:00']);
    expect(told(EVENING, '17:00')).toEqual(['9.00', '11-15T17:00', '11-15T19:00']);
    expect(told(EVENING, '18:59')).toEqual(['9.00', '11-15T17:00', '11-15T19:00']);
    expect(told(EVENING, '19:00')).toEqual(['10.00', '11-15T19:00', '11-16T17:00']);
  });

  it('is read in the zone of the player, else in that of the studio', () => {
    const local = { ...EVENING, zone: 'player' };
    expect(told(local, '10:00', inZone('Asia/Tokyo'))).toEqual(['9.00', '11-15T09:00', '11-15T11:00']);
    expect(told(local, '10:00', inZone('America/New_York'))).toEqual(['10.00', '11-15T01:00', '11-15T23:00']);
    expect(told(local, '10:00', facts(), 'Asia/Tokyo')).toEqual(['9.00', '11-15T09:00', '11-15T11:00']);
    expect(told(local, '10:00', inZone('Mars/Base'), 'Asia/Tokyo')[0]).toBe('9.00');
    expect(told({ ...EVENING, zone: 'studio' }, '10:00', inZone('Europe/Berlin'), 'Asia/Tokyo')[0]).toBe(
      '9.00',
    );
    expect(told(local, '18:30')).toEqual(['9.00', '11-15T18:00', '11-15T20:00']);
  });

  it('moves the timestamp when the zone was reported', () => {
    const local = { ...EVENING, zone: 'player' };
    expect(told(local, '10:00', inZone('Asia/Tokyo', at('09:30')))[1]).toBe('11-15T09:30');
  });

  it('applies between its beginning and its end only', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [
        offer('evening', { schedule: EVENING, from: '2026-11-15T17:30:00Z', until: '2026-11-15T18:30:00Z' }),
      ],
    });
    const prices = ['17:29', '17:30', '18:29', '18:30'].map(
      (now) => decide(document, facts(), at(now)).store.activeSkus[0]?.offerPrice,
    );
    expect(prices).toEqual(['10.00', '9.00', '9.00', '10.00']);
  });

  it('says when its window opens and closes', () => {
    const reason = (now: string) => {
      const document = configWith(parts(EVENING));
      const { trace } = decide(compiled(parts(EVENING)), facts(), at(now), { trace: true });
      if (trace === null) throw new Error('not traced');
      return reasonsOf({ document, facts: facts(), at: at(now), trace, nearMisses: new Map() }).offers[0];
    };
    expect(reason('12:00')).toBe(
      'Offer evening does not apply: its schedule is closed, and opens at 2026-11-15T17:00:00.000Z (Europe/Berlin).',
    );
    expect(reason('18:00')).toBe(
      'Offer evening applies: it has no rule, and its window is open from 2026-11-15T17:00:00.000Z to 2026-11-15T19:00:00.000Z (Europe/Berlin).',
    );
  });

  it('is looked at where its next window opens and closes', () => {
    const { instants } = comingInstants([configWith(parts(EVENING))], at('12:00'));
    expect(instants).toEqual([
      { atMs: at('17:00'), begins: ['offer:evening'], ends: [] },
      { atMs: at('19:00'), begins: [], ends: ['offer:evening'] },
    ]);
  });

  it('is refused with a schedule that cannot be', () => {
    expect(problemsOf(configWith(parts({ ...EVENING, zone: 'Mars/Base' }, 'Moon')))).toEqual([
      '/offers/0/schedule/zone "Mars/Base" is not a time zone: write player, studio, or a name such as Europe/Berlin.',
      '/calendar/studioZone "Moon" is not a time zone: write a name such as Europe/Berlin.',
    ]);
  });
});
