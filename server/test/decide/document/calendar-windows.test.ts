import { describe, expect, it } from 'vitest';
import { calendarWindowSteps, MAX_CALENDAR_ENTRIES } from '../../../src/decide/document/calendar-windows.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, offer, sku, value } from '../support/fixtures.js';

const WEEKEND: Schedule = {
  days: { every: 'week', weekdays: [6, 7] },
  from: '18:00',
  to: '20:00',
  zone: 'player',
  firstDate: null,
  lastDate: null,
  except: ['2026-11-22'],
};

/** Of November 2026, windows as `21T09:00-21T11:00`. */
function november(parts: Partial<ConfigDocument>, zone = 'Asia/Tokyo') {
  const fromMs = Date.parse('2026-11-01T00:00Z');
  const toMs = Date.parse('2026-12-01T00:00Z');
  const span = { fromMs, toMs, zone, studioZone: 'Europe/Berlin' };
  const { entries, leftOut } = runSteps(calendarWindowSteps(configWith(parts), span));
  const text = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(8, 16) : '…');
  return {
    entries: entries.map(({ part, id, label, windows }) => [
      [part, id, label].join(' ').trim(),
      windows.map(({ from, until }) => `${text(from)}-${text(until)}`).join(' '),
    ]),
    leftOut,
  };
}

describe('the calendar', () => {
  it('has the windows of a schedule, in the zone of the players or in its own', () => {
    const offers = [
      offer('local', { schedule: WEEKEND }),
      offer('berlin', { schedule: { ...WEEKEND, zone: 'studio', firstDate: '2026-11-21', except: [] } }),
    ];
    expect(november({ catalogue: [sku('gems')], offers }).entries).toEqual([
      [
        'offers local',
        '01T09:00-01T11:00 07T09:00-07T11:00 08T09:00-08T11:00 14T09:00-14T11:00 15T09:00-15T11:00 21T09:00-21T11:00 28T09:00-28T11:00 29T09:00-29T11:00',
      ],
      ['offers berlin', '21T17:00-21T19:00 22T17:00-22T19:00 28T17:00-28T19:00 29T17:00-29T19:00'],
    ]);
  });

  it('cuts windows at the beginning and the end of their entry', () => {
    const offers = [
      offer('short', { schedule: WEEKEND, from: '2026-11-14T10:00:00Z', until: '2026-11-21T10:30:00Z' }),
    ];
    expect(november({ offers }).entries).toEqual([
      ['offers short', '14T10:00-14T11:00 15T09:00-15T11:00 21T09:00-21T10:30'],
    ]);
  });

  it('has all parts with times: offers always, SKUs, flags and rules of values if they have any', () => {
    const catalogue = [
      sku('always'),
      sku('gems', { until: '2026-11-10T00:00:00Z' }),
      sku('off', { active: false, until: '2026-11-10T00:00:00Z' }),
    ];
    const offers = [
      offer('open'),
      offer('nobody', { sharePercent: 0 }),
      offer('over', { until: '2026-10-31T00:00:00Z' }),
    ];
    const custom = [
      {
        flagId: 'party',
        name: 'Party',
        rule: 'true',
        defaultValue: false,
        schedule: { ...WEEKEND, lastDate: '2026-11-01' },
      },
      { flagId: 'plain', name: 'Plain', rule: 'true', defaultValue: false },
    ];
    const flags = { isPayer: { payerForDays: null }, custom };
    const values = [
      value('bonus', {
        rules: [
          { when: null, sharePercent: 100, value: 2 },
          { when: null, schedule: { ...WEEKEND, firstDate: '2026-11-29' }, sharePercent: 100, value: 3 },
        ],
      }),
    ];
    const found = november({ catalogue, offers, flags, values }).entries;
    expect(new Map(found as [string, string][])).toEqual(
      new Map([
        ['offers open', '…-…'],
        ['skus gems', '…-10T00:00'],
        ['flags party', '01T09:00-01T11:00'],
        ['values bonus rule 2', '29T09:00-29T11:00'],
      ]),
    );
  });

  it('leaves out what cannot be published, and what is too much', () => {
    const wrong = offer('wrong', { schedule: { ...WEEKEND, zone: 'Mars/Base' } });
    const many = Array.from({ length: MAX_CALENDAR_ENTRIES + 2 }, (_, n) => offer(`offer_${n}`));
    const { entries, leftOut } = november({ offers: [wrong, ...many] });
    expect(entries).toHaveLength(MAX_CALENDAR_ENTRIES);
    expect(entries[0]?.[0]).toBe('offers offer_0');
    expect(leftOut).toBe(2);
  });
});
