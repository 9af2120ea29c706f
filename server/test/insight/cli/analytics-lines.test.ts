import { describe, expect, it } from 'vitest';
import { funnelLines } from '../../../src/insight/cli/funnel-lines.js';
import { installTable } from '../../../src/insight/cli/install-table.js';

describe('rollups funnel', () => {
  it('prints the players of each step, and of each value', () => {
    const values = [
      { kind: 'value' as const, value: 'DE', players: [30, 5] },
      { kind: 'unknown' as const, value: '', players: [10, 0] },
    ];
    expect(funnelLines(['Session_Start', 'Purchase'], { players: [40, 5], values })).toEqual([
      'step              players  of all  of the step before',
      '1. Session_Start       40  100.0%',
      '2. Purchase             5   12.5%               12.5%',
      '',
      '           step 1  step 2  completed',
      'DE             30       5      16.7%',
      '(unknown)      10       0       0.0%',
    ]);
  });

  it('says that nobody entered', () => {
    expect(funnelLines(['A', 'B'], { players: [0, 0], values: [] })).toEqual([
      'No player has sent A in this time.',
    ]);
  });
});

describe('rollups ltv', () => {
  it('prints what an install is worth at some ages, by currency', () => {
    const curve = {
      cohort: '2026-11-02',
      kind: 'all' as const,
      value: '',
      players: 4,
      playersAt: [4, 4],
      revenue: { USD: ['1', '3'] },
      reported: null,
    };
    const lines = installTable({ summedAt: 1, summing: null, throughDay: '2026-11-09', curves: [curve] });
    expect(lines[0]).toBe('USD per install by days since the start');
    expect(lines[2]?.split(/ {2,}/)).toEqual(['2026-11-02', '4', '0.2500', '0.7500', ...Array(6).fill('–')]);
  });

  it('prints one table in the reporting currency, and the currencies that are not in it', () => {
    const curve = {
      cohort: '2026-11-02',
      kind: 'all' as const,
      value: '',
      players: 4,
      playersAt: [4, 4],
      revenue: { CHF: ['9', '9'], EUR: ['0', '2'], USD: ['1', '3'] },
      reported: { currency: 'USD', revenue: ['1', '5.2'], missing: { CHF: '9' } },
    };
    const shown = { summedAt: 1, summing: null, throughDay: '2026-11-09', curves: [curve] };
    const tablesIn = (lines: string[]) => lines.filter((line) => line.includes('per install'));
    const lines = installTable(shown);
    expect(tablesIn(lines)).toEqual(['USD per install by days since the start']);
    expect(lines[2]?.split(/ {2,}/).slice(0, 4)).toEqual(['2026-11-02', '4', '0.2500', '1.3000']);
    expect(lines.at(-1)).toBe('Without payments in CHF: no rate on some days.');
    expect(tablesIn(installTable(shown, true))).toHaveLength(3);
  });

  it('says why there is nothing', () => {
    const nothing = { summedAt: null, summing: null, throughDay: null, curves: [] };
    expect(installTable(nothing)[0]).toContain('Nothing has been summed yet');
    expect(installTable({ ...nothing, summing: { daysDone: 75, days: 86 } })[0]).toBe(
      'Being summed, 75 of 86 days: the numbers are not complete. Ask again in a few minutes.',
    );
  });
});
