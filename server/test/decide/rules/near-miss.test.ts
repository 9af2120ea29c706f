import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { PlayerAttributes } from '../../../src/decide/attributes/player-attributes.js';
import { nearMissOf, nearMissSentence } from '../../../src/decide/rules/near-miss.js';
import type { RuleScope } from '../../../src/decide/rules/rule-paths.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { day, facts, NOW, payer } from '../support/fixtures.js';

const SCOPE: RuleScope = {
  attributes: ATTRIBUTE_REGISTRY,
  segments: new Set(['vip']),
  flags: new Set(['isPayer']),
  experiments: new Map(),
};

/** A payer of today: what was bought leaves the last days again. */
const boughtToday = () =>
  payer({ days: [day(Math.floor(NOW / DAY_MS), { purchases: 1, revenue: { USD: 4.99 } })] });

function missOf(rule: string, player = boughtToday()) {
  const attributes = new PlayerAttributes(player, NOW);
  attributes.flags.set('isPayer', player.purchaseCount > 0);
  return nearMissOf(rule, SCOPE)(attributes);
}

const sentence = (rule: string) => {
  const found = missOf(rule);
  return found === null ? null : nearMissSentence(found);
};

describe('the near miss of a rule', () => {
  it.each([
    ['purchases.total > 2', 'Would enter with purchases.total of at least 3: 2 more than now.'],
    ['purchases.total >= 2', 'Would enter with purchases.total of at least 2: 1 more than now.'],
    ['purchases.last28d < 1', 'Would enter with purchases.last28d of at most 0: 1 less than now.'],
    ['3 <= purchases.total', 'Would enter with purchases.total of at least 3: 2 more than now.'],
    [
      'spend["USD"].total > 50.0',
      'Would enter with spend["USD"].total of more than 50: 45.01 more than now.',
    ],
    [
      'spend["USD"].last28d < 4.0',
      'Would enter with spend["USD"].last28d of less than 4: 0.99 less than now.',
    ],
    [
      'flags.isPayer && purchases.total > 1 && spend["USD"].total > 1.0',
      'Would enter with purchases.total of at least 2: 1 more than now.',
    ],
    ['purchases.last28d <= -1', 'Would enter with purchases.last28d of at most -1: 2 less than now.'],
  ])('%s', (rule, told) => {
    expect(sentence(rule)).toBe(told);
  });

  it('holds the numbers that it is told with', () => {
    expect(missOf('purchases.total > 2')).toEqual({
      attribute: 'purchases.total',
      value: 1,
      operator: '>=',
      threshold: 3,
      distance: 2,
    });
  });

  it.each([
    ['two conditions are missed', 'purchases.total > 2 && spend["USD"].total > 50.0'],
    ['the one that is missed is not about a number', 'country == "DE" && purchases.total > 0'],
    ['a number has to be exact', 'purchases.total == 3'],
    ['either of two would do', 'purchases.total > 2 || spend["USD"].total > 50.0'],
    ['two attributes are compared', 'sessions.total > purchases.total'],
    ['a value is worked out', 'purchases.total * 2 > 6'],
    ['the rule cannot be used', 'purchase.total > 2'],
    ['the rule holds', 'purchases.total > 0'],
    ['a total would have to fall', 'purchases.total < 1'],
    ['the player would have to be younger', 'daysSinceFirstSeen <= -1'],
  ])('is none where %s', (_why, rule) => {
    expect(missOf(rule)).toBeNull();
  });

  it('counts a condition that cannot be worked out as missed', () => {
    expect(missOf('1 / (purchases.total - 1) > 0 && purchases.total > 2')).toBeNull();
    expect(missOf('purchases.total > 2', facts())?.distance).toBe(3);
  });
});
