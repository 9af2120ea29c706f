import { describe, expect, it } from 'vitest';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { configWith, experiment, offer, problemsOf, segment, sku, value } from '../support/fixtures.js';

const problems = (...experiments: ExperimentEntry[]) => problemsOf(configWith({ experiments }));
const variant = (variantId: string, weight = 1) => ({ variantId, name: variantId, weight });
const slot = (fromPercent: number, toPercent: number, layerId = 'store') => ({
  layer: { layerId, fromPercent, toPercent },
});

describe('the experiments of a document', () => {
  it('may be left out, be none, and have every kind of metric', () => {
    expect(problems()).toEqual([]);
    const sums: ExperimentEntry['metrics']['secondary'] = [
      { kind: 'share', of: 'retained', day: 7 },
      { kind: 'share', of: 'event', eventType: 'Level_Complete' },
      { kind: 'sum', sum: { of: 'revenue', currency: null } },
      { kind: 'sum', sum: { of: 'events', eventType: 'Level_Complete' } },
      { kind: 'sum', sum: { of: 'minutes' } },
      { kind: 'ratio', sum: { of: 'revenue', currency: 'USD' }, per: { of: 'payers' } },
    ];
    const guardrail = { metric: { kind: 'sum', sum: { of: 'sessions' } }, worse: 'lower', marginPercent: 2 };
    const metrics = {
      primary: { kind: 'share', of: 'converted' },
      secondary: sums,
      guardrails: [guardrail],
    } as ExperimentEntry['metrics'];
    const plan = { smallestEffect: { points: 1 }, players: 20_000, days: 28 };
    expect(problems(experiment('price_test', { metrics, plan }))).toEqual([]);
  });

  it.each<[string, Partial<ExperimentEntry>, string]>([
    ['one variant', { variants: [variant('a')] }, '/variants The value'],
    ['a variant twice', { variants: [variant('a'), variant('a')] }, '/variants/1/variantId "a" is the id of'],
    ['no weight', { variants: [variant('a', 0), variant('b')] }, '/variants/0/weight The value'],
    ['a seed with a colon', { seed: 'a:b' }, '/seed "a:b" cannot be a seed'],
    ['an id with a space', { experimentId: 'price test' }, '/experimentId "price test" cannot be the id'],
    ['an empty slot', slot(50, 50), '/layer/toPercent The slot must end after'],
    ['no winner', { state: 'decided' }, '/winner A decided experiment names'],
    ['a winner too early', { winner: 'a' }, '/winner Only a decided experiment'],
    [
      'an unknown winner',
      { state: 'decided', winner: 'c' },
      '/winner There is no variant "c": write a or b.',
    ],
    ['a wrong rule', { when: 'contry == "DE"' }, '/when There is no attribute "contry". Did you mean'],
    [
      'a metric twice',
      {
        metrics: {
          primary: { kind: 'share', of: 'converted' },
          secondary: [{ kind: 'share', of: 'converted' }],
          guardrails: [],
        },
      },
      '/metrics/secondary/0 The same metric is listed as primary.',
    ],
    [
      'points of a sum',
      {
        metrics: { primary: { kind: 'sum', sum: { of: 'sessions' } }, secondary: [], guardrails: [] },
        plan: { smallestEffect: { points: 1 }, players: 1, days: 1 },
      },
      '/plan/smallestEffect Only shares change by points',
    ],
  ])('are refused with %s', (_what, change, problem) => {
    const found = problems(experiment('price_test', change));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`/experiments/0${problem}`);
  });

  it.each<[string, object, string]>([
    ['another day', { kind: 'share', of: 'retained', day: 5 }, '/day Write 1 or 3 or 7 or 14 or 28.'],
    ['no day', { kind: 'share', of: 'retained' }, '/day This member is missing.'],
    [
      'a day that is not asked for',
      { kind: 'share', of: 'converted', day: 7 },
      '/day There is no member "day". There are kind, of.',
    ],
    ['no currency', { kind: 'sum', sum: { of: 'revenue' } }, '/sum/currency This member is missing.'],
    ['no divisor', { kind: 'ratio', sum: { of: 'minutes' } }, '/per This member is missing.'],
    [
      'an invented currency',
      { kind: 'sum', sum: { of: 'revenue', currency: 'XXQ' } },
      '/sum/currency "XXQ" is not a currency of ISO 4217, such as USD.',
    ],
    [
      'an invented currency of a ratio',
      { kind: 'ratio', sum: { of: 'minutes' }, per: { of: 'revenue', currency: 'XXQ' } },
      '/per/currency "XXQ" is not a currency of ISO 4217, such as USD.',
    ],
  ])('have no metric with %s', (_what, metric, problem) => {
    const metrics = { primary: { kind: 'share', of: 'converted' }, secondary: [metric], guardrails: [] };
    expect(problems(experiment('a', { metrics: metrics as ExperimentEntry['metrics'] }))).toEqual([
      `/experiments/0/metrics/secondary/0${problem}`,
    ]);
  });

  it('have ids of their own', () => {
    expect(problems(experiment('a'), experiment('a'))).toEqual([
      '/experiments/1/experimentId "a" is taken by /experiments/0.',
    ]);
  });

  it('have slots of their own in a layer, and its seed, while they run', () => {
    const one = experiment('one', slot(0, 50));
    expect(problems(one, experiment('two', slot(50, 100)))).toEqual([]);
    expect(problems(one, experiment('two', slot(40, 100, 'levels')))).toEqual([]);
    expect(problems(one, experiment('two', { ...slot(0, 50), state: 'planned', seed: '2' }))).toEqual([]);
    expect(problems(one, experiment('two', slot(40, 100)))).toEqual([
      '/experiments/1/layer "one" runs in 0 to 50 percent of the layer "store": the slots overlap.',
    ]);
    expect(problems(one, experiment('two', { ...slot(50, 100), seed: '2' }))).toEqual([
      '/experiments/1/seed "one" runs in the layer "store", too, with the seed "1": a layer has one seed.',
    ]);
  });
});

describe('rules that read experiments', () => {
  const ruled = (when: string, ...experiments: ExperimentEntry[]) =>
    problemsOf(
      configWith({
        experiments: experiments.length === 0 ? [experiment('price_test')] : experiments,
        values: [value('jump', { rules: [{ when, sharePercent: 100, value: 2 }] })],
      }),
    );

  it.each([
    'experiment("price_test") == "b"',
    '"a" != experiment("price_test")',
    'experiment("price_test") in ["a", "b"]',
    'experiment("price_test") == ""',
    'experiment("price_test").startsWith("b")',
  ])('may be %s', (rule) => {
    expect(ruled(rule)).toEqual([]);
  });

  it.each([
    ['experiment("price_tst") == "b"', 'There is no experiment "price_tst". Did you mean "price_test"?'],
    ['experiment("price_test") == "c"', 'The experiment "price_test" has no variant "c". It has a, b.'],
    [
      'experiment("price_test") in ["a", "c"]',
      'The experiment "price_test" has no variant "c". It has a, b.',
    ],
    ['experiment(country) == "b"', 'An experiment is named by a text in quotes.'],
    [
      'experiments["price_test"] == "b"',
      '"experiments" is no value by itself: write experiment("price_test").',
    ],
    ['experiment("price_test")', 'The rule gives a value of type string: it must be true or false.'],
  ])('cannot be %s', (rule, problem) => {
    expect(ruled(rule)).toEqual([`/values/0/rules/0/when ${problem}`]);
  });

  it.each<Partial<ExperimentEntry>>([
    { variants: [variant('a', 0), variant('b')] },
    { coveragePercent: 101 },
    { plan: undefined as never },
  ])('are not reported as well when the experiment has the wrong shape: %j', (change) => {
    const found = ruled('experiment("price_test") == "b"', experiment('price_test', change));
    expect(found).toEqual([expect.stringMatching(/^\/experiments\/0\//)]);
  });

  it('suggest the variant that was meant', () => {
    const variants = [
      { variantId: 'control', name: '', weight: 1 },
      { variantId: 'cheaper', name: '', weight: 1 },
    ].map((each) => ({ ...each, name: each.variantId }));
    expect(ruled('experiment("x") == "chaper"', experiment('x', { variants }))).toEqual([
      '/values/0/rules/0/when The experiment "x" has no variant "chaper". Did you mean "cheaper"?',
    ]);
  });

  it('cannot say who enters an experiment, not even through a segment', () => {
    const entered = 'Who may enter depends on the experiment "y", and must not.';
    expect(problems(experiment('x', { when: 'experiment("y") == "a"' }), experiment('y'))).toEqual([
      `/experiments/0/when ${entered}`,
    ]);
    const through = configWith({
      experiments: [experiment('x', { when: '"treated" in segments' }), experiment('y')],
      segments: [segment('treated', 'experiment("y") == "a"')],
    });
    expect(problemsOf(through)).toEqual([`/experiments/0/when ${entered}`]);
  });

  it('cannot decide prices where the game forbids it, until the experiment is decided', () => {
    const of = (change: Partial<ExperimentEntry>) =>
      problemsOf(
        configWith({
          experiments: [experiment('x', change)],
          catalogue: [sku('gems')],
          offers: [offer('cheap', { when: 'experiment("x") == "b"' })],
          pricing: { notices: {}, forbiddenAttributes: ['experiments'], largestSpreadPercent: null },
        }),
      );
    expect(of({})).toEqual([expect.stringContaining('reads experiments')]);
    expect(of({ state: 'decided', winner: 'b' })).toEqual([]);
  });
});
