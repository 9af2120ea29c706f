import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, experiment, NOW, offer, segment, sku } from '../../decide/support/fixtures.js';

const catalogue = [sku('starter', { prices: { USD: { actualPrice: '4.99', offerPrice: '4.99' } } })];
const running = experiment('x', {
  variants: [
    { variantId: 'control', name: 'As it is', weight: 1 },
    { variantId: 'half', name: 'Cheaper', weight: 1 },
  ],
});
const stopped: ExperimentEntry = { ...running, state: 'stopped' };
const decided = (winner: string, more: Partial<ExperimentEntry> = {}): ExperimentEntry => ({
  ...running,
  ...more,
  ...{ state: 'decided', winner },
});
const priced = (offerId: string, when: string | null, USD: string) =>
  offer(offerId, { when, skus: ['starter'], effect: { price: { setTo: { USD } } } });
const HALF = 'experiment("x") == "half"';
const NEW_PLAYERS = 'daysSinceFirstSeen < 3';

/** The experiment, and an offer of 4.00 for whom the rule says. */
const withRule = (when: string | null, entry: ExperimentEntry | null, more: Partial<ConfigDocument> = {}) =>
  configWith({
    catalogue,
    offers: [priced('starter_half', when, '4.00')],
    experiments: entry === null ? [] : [entry],
    ...more,
  });

const raises = (before: ConfigDocument, after: ConfigDocument) =>
  runSteps(priceRaiseSteps(before, after, NOW)).map(({ offerId, from, to }) => `${offerId}: ${from} → ${to}`);
const BACK = ['starter_half: 4.00 → 4.99'];

describe('price raises by experiments', () => {
  it.each<[string, ExperimentEntry, ExperimentEntry]>([
    ['is decided for another arm', running, decided('control')],
    ['is stopped', running, stopped],
    ['is planned again', running, { ...running, state: 'planned' }],
    ['draws all players anew', running, { ...running, seed: '2' }],
    ['moves to a slot', running, { ...running, layer: { layerId: 'l', fromPercent: 0, toPercent: 50 } }],
    ['has another winner', decided('half'), decided('control')],
    ['is stopped after it was decided', decided('half'), stopped],
    // Players who are in the arm, and would not be let in any more.
    [
      'is decided for the arm, for those of a rule',
      { ...running, when: NEW_PLAYERS },
      decided('half', { when: NEW_PLAYERS }),
    ],
    ['has a winner for fewer', decided('half'), decided('half', { when: NEW_PLAYERS })],
  ])('are found when it %s', (_how, before, after) => {
    expect(raises(withRule(HALF, before), withRule(HALF, after))).toEqual(BACK);
  });

  it.each<[string, ExperimentEntry, ExperimentEntry]>([
    ['covers more', { ...running, coveragePercent: 5 }, running],
    // Stored arms stay, and nobody else has seen the price.
    ['covers less', running, { ...running, coveragePercent: 5 }],
    ['lets others in', running, { ...running, when: 'country == "DE"' }],
    ['is decided for the arm', running, decided('half')],
    ['has the winner that is cheaper', decided('control'), decided('half')],
    [
      'has the winner that is cheaper, for those of a rule',
      decided('control', { when: 'country == "DE"' }),
      decided('half', { when: 'country == "DE"' }),
    ],
    ['has a winner for more', decided('half', { when: 'country == "DE"' }), decided('half')],
    ['starts', { ...running, state: 'planned' }, running],
    ['is stopped, long after it was decided for the other arm', decided('control'), stopped],
  ])('are not there when it %s', (_how, before, after) => {
    expect(raises(withRule(HALF, before), withRule(HALF, after))).toEqual([]);
  });

  it('are not there when an offer goes that nobody gets any more', () => {
    const gone = configWith({ catalogue, offers: [], experiments: [] });
    expect(raises(withRule(HALF, decided('control')), gone)).toEqual([]);
    expect(raises(withRule(HALF, stopped), gone)).toEqual([]);
    const narrower = `country == "DE" && ${HALF}`;
    expect(raises(withRule(narrower, decided('control')), gone)).toEqual([]);
    expect(raises(withRule('experiment("x") == ""', decided('control')), gone)).toEqual([]);
    expect(raises(withRule(HALF, decided('half')), gone)).toEqual(BACK);
    expect(raises(withRule(HALF, running), gone)).toEqual(BACK);
    expect(raises(withRule('experiment("x") != "half"', decided('control')), gone)).toEqual(BACK);
  });

  it('are not there when the price of the winning arm becomes everybody’s', () => {
    expect(raises(withRule(HALF, decided('half')), withRule(null, null))).toEqual([]);
  });

  it('are found for children, who have an offer of an experiment only once it is decided', () => {
    const notControl = 'experiment("x") != "control"';
    const found = (before: ExperimentEntry, after: ExperimentEntry) =>
      raises(withRule(notControl, before), withRule(notControl, after));
    expect(found(decided('half'), stopped)).toEqual(BACK);
    expect(found(stopped, decided('half'))).toEqual([]);
    expect(found(decided('half'), decided('half', { when: NEW_PLAYERS }))).toEqual(BACK);
  });

  describe('follow what the rule makes of the arm', () => {
    const [before, after] = [{ ...running, coveragePercent: 5 }, running];
    const more = (when: string) => raises(withRule(when, before), withRule(when, after));

    it.each([
      'experiment("x") in ["half"]',
      '"half" == experiment("x")',
      `country == "DE" && ${HALF}`,
      `flags.isPayer || (${HALF} && purchases.total > 2)`,
      '!(experiment("x") == "" || experiment("x") == "control")',
      '!(experiment("x") in ["", "control"])',
    ])('which takes it from nobody: %s', (when) => {
      expect(more(when)).toEqual([]);
    });

    it.each([
      'experiment("x") != "half"',
      'experiment("x") == ""',
      `country == "DE" && !(${HALF})`,
      // Not looked into, so it may be.
      'experiment("x").startsWith("h")',
      `country == "DE" ? ${HALF} : false`,
    ])('which takes it from those who come in: %s', (when) => {
      expect(more(when)).toEqual(BACK);
    });
  });

  describe('are found through flags and segments', () => {
    const parts = (rule: string): Partial<ConfigDocument> => ({
      segments: [segment('cheap', rule)],
      flags: {
        isPayer: { payerForDays: null },
        custom: [{ flagId: 'cheap', name: 'Cheap', rule: 'segment("cheap")', defaultValue: false }],
      },
    });
    const through = (when: string, before: ExperimentEntry, after: ExperimentEntry, rule = HALF) =>
      raises(withRule(when, before, parts(HALF)), withRule(when, after, parts(rule)));

    it.each(['segment("cheap")', '"cheap" in segments', 'flags.cheap', 'flags["cheap"] && country == "DE"'])(
      '%s',
      (when) => {
        expect(through(when, { ...running, coveragePercent: 5 }, running)).toEqual([]);
        expect(through(when, decided('control'), decided('half'))).toEqual([]);
        expect(through(when, running, decided('control'))).toEqual(BACK);
        expect(
          through(when, running, { ...running, coveragePercent: 99 }, `${HALF} && flags.isPayer`),
        ).toEqual(BACK);
        expect(through(`!(${when})`, { ...running, coveragePercent: 5 }, running)).toEqual(BACK);
      },
    );

    it('and a flag may be set for a player, whatever its rule says', () => {
      const gone = configWith({ catalogue, offers: [] });
      expect(raises(withRule('segment("cheap")', decided('control'), parts(HALF)), gone)).toEqual([]);
      expect(raises(withRule('flags.cheap', decided('control'), parts(HALF)), gone)).toEqual(BACK);
    });
  });

  it('are found where a dearer offer of an arm comes before another offer', () => {
    const withArm = (USD: string, entry: ExperimentEntry) =>
      configWith({
        catalogue,
        offers: [priced('of_half', HALF, USD), priced('sale', null, '3.00')],
        experiments: [entry],
      });
    const found = (USD: string, before: ExperimentEntry, after: ExperimentEntry) =>
      raises(withArm(USD, before), withArm(USD, after)).filter((raise) => raise.startsWith('sale'));
    const few = { ...running, coveragePercent: 5 };
    expect(found('4.00', few, running)).toEqual(['sale: 3.00 → 4.00']);
    expect(found('4.00', running, decided('half'))).toEqual(['sale: 3.00 → 4.00']);
    expect(found('2.00', few, running)).toEqual([]);
    expect(found('4.00', running, few)).toEqual([]);
    expect(found('4.00', running, decided('control'))).toEqual([]);
    expect(found('4.00', decided('half'), decided('control'))).toEqual([]);
  });

  it('look at two experiments together', () => {
    const both = (when: string, x: ExperimentEntry, y: Partial<ExperimentEntry> = {}) =>
      withRule(when, x, { experiments: [x, { ...running, experimentId: 'y', ...y }] });
    const either = `${HALF} || experiment("y") == "half"`;
    expect(raises(both(either, { ...running, coveragePercent: 5 }), both(either, running))).toEqual([]);
    expect(raises(both(either, running), both(either, decided('control')))).toEqual(BACK);
    const forAll = { state: 'decided', winner: 'half' } as const;
    expect(raises(both(either, running, forAll), both(either, decided('control'), forAll))).toEqual([]);
  });
});
