import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/decide/decide/decide.js';
import { compiled, DAY_MS, facts, NOW, payer, segment } from '../support/fixtures.js';

const iso = (instant: number) => new Date(instant).toISOString();
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
      { segmentId: 'b', name: 'Name of b', version: 1, visibleToClients: false },
      { segmentId: 'c', name: 'Name of c', version: 1, visibleToClients: true },
      { segmentId: 'a', name: 'Name of a', version: 1, visibleToClients: true },
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
