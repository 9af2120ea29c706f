import { describe, expect, it } from 'vitest';
import type { Experiment } from '../src/lib/document.js';
import {
  drawnAnew,
  isDrawn,
  isRead,
  listedExperiments,
  newExperiment,
  nextSeed,
  nextVariant,
  shareOfWeight,
  stateInWords,
  withPrimary,
} from '../src/lib/experiment-form.js';
import { furtherMetric, METRICS, metricOf } from '../src/lib/metric-form.js';
import { document, offer } from './documents.js';

const PLANNED = newExperiment('first_offer');
const inState = (state: Experiment['state'], seed = '1'): Experiment => ({ ...PLANNED, state, seed });
const labels = (experiment: Experiment, published?: Experiment) =>
  stateInWords(experiment, published).steps.map(({ label }) => label);

describe('the form of an experiment', () => {
  it('fixes the arms once players may have been drawn, until another seed draws them anew', () => {
    expect(isDrawn(PLANNED, undefined)).toBe(false);
    expect(isDrawn(inState('running'), PLANNED)).toBe(false);
    for (const state of ['running', 'stopped', 'decided'] as const) {
      expect(isDrawn(PLANNED, inState(state))).toBe(true);
      expect(isDrawn(drawnAnew(inState(state)), inState(state))).toBe(false);
    }
  });

  it('offers the steps that lead from one state to the next', () => {
    expect(labels(PLANNED)).toEqual(['Start']);
    expect(labels(inState('running'), PLANNED)).toEqual(['Do not start']);
    expect(labels(inState('running'), inState('running'))).toEqual(['Stop']);
    expect(labels(inState('stopped'), inState('running'))).toEqual(['Do not stop']);
    expect(labels(inState('stopped'), inState('stopped'))).toEqual(['Run again']);
    expect(labels(inState('decided'), inState('decided'))).toEqual([]);
    const [back] = stateInWords(inState('running'), inState('stopped')).steps;
    expect(back?.next.state).toBe('stopped');
  });

  it('keeps the run so far after a new draw, on demand', () => {
    const running = inState('running');
    const anew = drawnAnew({ ...running, name: 'Other' });
    expect(anew).toMatchObject({ seed: '2', state: 'planned' });
    expect(labels(anew, running)).toEqual(['Start', 'Keep the run so far']);
    expect(stateInWords(anew, running).steps[1]?.next).toEqual(running);
  });

  it('draws a decided experiment anew without its winner', () => {
    expect(drawnAnew({ ...inState('decided'), winner: 'b' })).not.toHaveProperty('winner');
  });

  it('counts seeds on', () => {
    expect(['1', '9', 'autumn', 'autumn-2', '2026.10'].map(nextSeed)).toEqual([
      ...['2', '10', 'autumn-2', 'autumn-3', '2026.11'],
    ]);
  });

  it('gives a new arm a free id, and each arm its share', () => {
    const [a, b] = PLANNED.variants;
    expect(nextVariant(PLANNED.variants).variantId).toBe('c');
    expect(nextVariant(b === undefined ? [] : [b]).variantId).toBe('a');
    expect(shareOfWeight(a === undefined ? [] : [a, { ...a, weight: 3 }], 3)).toBe(0.75);
  });

  it('plans in percent where points make no sense', () => {
    const planned: Experiment = {
      ...PLANNED,
      plan: { smallestEffect: { points: 1 }, players: 100, days: 7 },
    };
    expect(withPrimary(planned, metricOf('retained')).plan).toEqual(planned.plan);
    expect(withPrimary(planned, metricOf('sum')).plan?.smallestEffect).toEqual({ percent: 10 });
  });

  it('offers no metric twice', () => {
    let metrics = PLANNED.metrics;
    for (let n = 0; n < 8; n += 1) {
      metrics = { ...metrics, secondary: [...metrics.secondary, furtherMetric(metrics)] };
    }
    const all = [metrics.primary, ...metrics.secondary].map((metric) => JSON.stringify(metric));
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(METRICS.map(({ value }) => JSON.stringify(metricOf(value)))).size).toBe(METRICS.length);
  });
});

describe('the list of experiments', () => {
  const shown = (experiment: Experiment) => ({
    ...{ experiment, sentence: '', startedAt: null, endedAt: null, madeAt: null },
    ...{ isRequested: false, report: null },
  });

  it('has those of the draft, and those that it takes away', () => {
    const published = [shown(inState('running')), shown(newExperiment('old'))];
    const drafted = [newExperiment('fresh'), inState('stopped')];
    const rows = listedExperiments(published, drafted);
    expect(rows.map(({ experimentId, state }) => [experimentId, state])).toEqual([
      ['fresh', 'planned'],
      ['first_offer', 'running, stopped in the draft'],
      ['old', 'planned, not in the draft'],
    ]);
    expect(rows.map(({ isInDraft }) => isInDraft)).toEqual([true, true, false]);
    expect(rows[0]?.shown).toBeUndefined();
  });
});

describe('an experiment is read', () => {
  const isReadBy = (when: string | null) =>
    isRead(document({ offers: [offer('half', { when })], experiments: [PLANNED] }), 'first_offer');

  it('if some rule asks for its arm, however it is written', () => {
    expect(isReadBy('country == "DE" && experiment("first_offer") == "b"')).toBe(true);
    expect(isReadBy("experiment( 'first_offer' ) != 'a'")).toBe(true);
  });

  it('not by the rule of another one, nor by itself', () => {
    expect(isReadBy('experiment("first_offer_2") == "b"')).toBe(false);
    expect(isReadBy(null)).toBe(false);
    const itself = { ...PLANNED, when: 'experiment("first_offer") == "b"' };
    expect(isRead(document({ experiments: [itself] }), 'first_offer')).toBe(false);
  });
});
