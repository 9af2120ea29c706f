import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { compiled, DAY_MS, experiment, facts, NOW, offer, segment, sku, value } from '../support/fixtures.js';

const PLAYERS = Array.from({ length: 4000 }, (_, n) => `player-${n}`);

/** A value that says in which arm of each experiment a player is. */
const withValue = (experiments: ExperimentEntry[], more: Partial<ConfigDocument> = {}) =>
  compiled({
    experiments,
    values: experiments.map(({ experimentId, variants }) =>
      value(`arm_of_${experimentId}`, {
        type: 'string',
        defaultValue: '',
        rules: variants.map(({ variantId }) => ({
          when: `experiment("${experimentId}") == "${variantId}"`,
          sharePercent: 100,
          value: variantId,
        })),
      }),
    ),
    ...more,
  });

/** What the values say, in the order of the experiments. */
const told = (document: CompiledDocument, player: Partial<PlayerFacts>, now = NOW) =>
  decide(document, facts(player), now).values.map(({ outcome }) => outcome.value as string);
const arm = (document: CompiledDocument, player: Partial<PlayerFacts>, now = NOW) =>
  told(document, player, now)[0] ?? '';
const exposed = (variantId: string, seed = '1') => ({
  exposures: [{ experimentId: 'x', seed, variantId, exposedAt: NOW - DAY_MS }],
});
const slot = (fromPercent: number, toPercent: number) => ({
  layer: { layerId: 'store', fromPercent, toPercent },
});
const reason = (document: CompiledDocument, player: Partial<PlayerFacts> = {}) =>
  decide(document, facts(player), NOW, { trace: true }).trace?.experiments[0];

describe('the arm of a player', () => {
  it('never moves while the coverage grows from 5 to 100 percent', () => {
    const arms = new Map<string, string>();
    for (const coveragePercent of [5, 20, 50, 100]) {
      const document = withValue([experiment('x', { coveragePercent })]);
      let inside = 0;
      for (const userId of PLAYERS) {
        const now = arm(document, { userId });
        const before = arms.get(userId) ?? '';
        if (before !== '') expect(now).toBe(before);
        arms.set(userId, now);
        if (now !== '') inside++;
      }
      // Six standard deviations of a binomial share are below 5 percent of 4,000 players.
      expect(Math.abs(inside / PLAYERS.length - coveragePercent / 100)).toBeLessThan(0.05);
    }
  });

  it('is never one of two experiments in a layer, which together have everybody', () => {
    const document = withValue([experiment('x', slot(0, 30)), experiment('y', slot(30, 100))]);
    for (const userId of PLAYERS) {
      expect(told(document, { userId }).filter((variantId) => variantId !== '')).toHaveLength(1);
    }
  });

  it('is stored, and then wins over weights, coverage and the rule, but not over the slot, the state and another seed', () => {
    const userIds = PLAYERS.slice(0, 20);
    const closed = { coveragePercent: 0, when: 'country == "DE"' };
    for (const userId of userIds) {
      for (const variantId of ['a', 'b']) {
        const player = { userId, ...exposed(variantId) };
        expect(arm(withValue([experiment('x', closed)]), player)).toBe(variantId);
        expect(arm(withValue([experiment('x', { ...closed, seed: '2' })]), player)).toBe('');
        expect(arm(withValue([experiment('x', { state: 'stopped' })]), player)).toBe('');
        expect(arm(withValue([experiment('x', { state: 'decided', winner: 'a' })]), player)).toBe('a');
      }
      expect(arm(withValue([experiment('x')]), { userId, ...exposed('gone') })).toMatch(/^[ab]$/);
    }
    const document = withValue([experiment('x', slot(0, 50)), experiment('y', slot(50, 100))]);
    for (const userId of PLAYERS.slice(0, 200)) {
      const all = told(document, { userId, ...exposed('a') });
      expect(all.filter((variantId) => variantId !== '')).toHaveLength(1);
    }
  });

  it('is asked for by who may enter, until the player is in', () => {
    const document = withValue([experiment('x', { when: 'daysSinceFirstSeen < 1' })]);
    const old = { createdAt: NOW - 3 * DAY_MS };
    expect(arm(document, {})).not.toBe('');
    expect(arm(document, old)).toBe('');
    expect(arm(document, { ...old, ...exposed('b') })).toBe('b');
    // Entering ends after a day, and the response with it.
    expect(decide(document, facts(), NOW).validUntil).toBe(NOW + DAY_MS);
  });

  it('is none before it starts and after it stops, and the winner when it is decided', () => {
    const ofState = (change: Partial<ExperimentEntry>, player = {}) =>
      arm(withValue([experiment('x', change)]), player);
    expect(ofState({ state: 'planned' })).toBe('');
    expect(ofState({ state: 'stopped' })).toBe('');
    const decided: Partial<ExperimentEntry> = { state: 'decided', winner: 'b', coveragePercent: 1 };
    expect(ofState(decided)).toBe('b');
    const inGermany = { ...decided, when: 'country == "DE"' };
    expect(ofState(inGermany)).toBe('');
    expect(ofState(inGermany, { profile: { country: { v: 'DE', t: 0 } } })).toBe('b');
  });
});

const NEW = { isStored: false, isPinned: false };

describe('a decision', () => {
  it('depends on the arms that its rules have asked for, and on no others', () => {
    const document = withValue([experiment('x'), experiment('y')], {
      values: [
        value('lucky', {
          rules: [{ when: 'country == "DE" && experiment("x") == "a"', sharePercent: 100, value: 2 }],
        }),
      ],
    });
    expect(decide(document, facts(), NOW).arms).toEqual([]);
    const german = facts({ profile: { country: { v: 'DE', t: 0 } } });
    expect(decide(document, german, NOW).arms).toEqual([
      { experimentId: 'x', seed: '1', variantId: expect.stringMatching(/^[ab]$/), ...NEW },
    ]);
    const stored = { ...german, ...exposed('b') };
    expect(decide(document, stored, NOW).arms).toEqual([
      { experimentId: 'x', seed: '1', variantId: 'b', ...NEW, isStored: true },
    ]);
  });

  it('depends on an arm through segments, also where the experiment itself asks for another segment', () => {
    const document = compiled({
      experiments: [experiment('x', { when: '"german" in segments' })],
      segments: [
        segment('treated', 'experiment("x") == "b"'),
        segment('german', 'country == "DE"'),
        segment('both', '"treated" in segments'),
      ],
    });
    const german = { profile: { country: { v: 'DE', t: 0 } } };
    const inB = PLAYERS.filter((userId) => {
      const { segments, arms } = decide(document, facts({ userId, ...german }), NOW);
      const ids = segments.map(({ segmentId }) => segmentId);
      expect(ids.includes('treated')).toBe(arms[0]?.variantId === 'b');
      expect(ids.includes('both')).toBe(ids.includes('treated'));
      return ids.includes('treated');
    });
    expect(inB.length).toBeGreaterThan(0);
    expect(decide(document, facts(), NOW)).toMatchObject({ arms: [], segments: [] });
  });

  it('leaves children out of experiments that offers depend on, and tells them the price of everybody', () => {
    const experiments = [experiment('x'), experiment('y')];
    const offers = [offer('cheap', { when: 'experiment("x") != ""' })];
    const document = withValue(experiments, { catalogue: [sku('gems')], offers });
    const child = facts({ ageGroup: 'child' });
    const { values, store, arms } = decide(document, child, NOW);
    expect(values.map(({ outcome }) => outcome.value)).toEqual(['', expect.stringMatching(/^[ab]$/)]);
    expect(store.activeSkus.map(({ offerPrice }) => offerPrice)).toEqual(['10.00']);
    expect(arms.map(({ experimentId }) => experimentId)).toEqual(['y']);
    expect(decide(document, facts(), NOW).store.activeSkus[0]?.offerPrice).toBe('9.00');

    const decided = compiled({
      experiments: [experiment('x', { state: 'decided', winner: 'b' })],
      catalogue: [sku('gems')],
      offers: [offer('cheap', { when: 'experiment("x") == "b"' })],
    });
    expect(decide(decided, child, NOW).store.activeSkus[0]?.offerPrice).toBe('9.00');
  });

  it('depends on a pinned arm, in any state, until the pin ends, and not on a variant that is gone', () => {
    const pin = {
      kind: 'variant' as const,
      target: 'x',
      reason: 'test',
      author: 'ann',
      setAt: NOW,
      until: NOW + 1000,
    };
    const pinned = (variantId: string) => ({ pins: [{ ...pin, value: variantId }] });
    for (const state of ['planned', 'running', 'stopped'] as const) {
      const document = withValue([experiment('x', { state, coveragePercent: 0 })]);
      for (const variantId of ['a', 'b']) {
        expect(arm(document, pinned(variantId))).toBe(variantId);
        expect(arm(document, { ...pinned(variantId), ...exposed('a') })).toBe(variantId);
        expect(arm(document, pinned(variantId), NOW + 1000)).toBe('');
      }
      expect(arm(document, pinned('gone'))).toBe('');
    }
    const decision = decide(withValue([experiment('x')]), facts(pinned('b')), NOW);
    expect(decision.arms).toEqual([
      { experimentId: 'x', seed: '1', variantId: 'b', isStored: false, isPinned: true },
    ]);
    expect(decision.validUntil).toBe(NOW + 1000);
    const offers = [offer('cheap', { when: 'experiment("x") == "b"' })];
    const store = withValue([experiment('x')], { catalogue: [sku('gems')], offers });
    const later = decide(store, facts(pinned('b')), NOW + 5000).store;
    expect(later.lastUpdatedTimestamp).toBe(NOW + 1000);
    expect(reason(withValue([experiment('x')]), pinned('b'))).toMatchObject({
      because: 'pin',
      pin: { author: 'ann', reason: 'test' },
    });
  });

  it('is explained with the arm and its reason', () => {
    const of = (change: Partial<ExperimentEntry>) => withValue([experiment('x', change)]);
    expect(reason(of({}))).toMatchObject({ because: 'bucket', place: expect.any(Number) });
    expect(reason(of({}), exposed('b'))).toMatchObject({
      variantId: 'b',
      because: 'stored',
      exposedAt: new Date(NOW - DAY_MS).toISOString(),
    });
    expect(reason(of({ coveragePercent: 0 }))).toMatchObject({ variantId: '', because: 'not_covered' });
    expect(reason(of({ when: 'country == "DE"' }))).toMatchObject({
      because: 'rule_false',
      rule: { expression: 'country == "DE"', result: false, values: { country: '' } },
    });
    expect(reason(of({ state: 'planned' }))).toMatchObject({ because: 'planned', place: null });
    // A rule that fails does not let in, and is no mistake of the rule that asked for the arm.
    const failing = withValue([experiment('x', { when: '1 / eventCount.total > 0' })]);
    const { trace } = decide(failing, facts(), NOW, { trace: true });
    expect(trace?.experiments[0]).toMatchObject({
      because: 'rule_false',
      rule: { error: 'division by zero' },
    });
    expect(trace?.values[0]?.rules[0]?.rule).toMatchObject({ error: null, result: false });
  });
});
