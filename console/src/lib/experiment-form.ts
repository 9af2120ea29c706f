import type { DataOf } from '../api/client.js';
import type { ConfigDocument, Experiment } from './document.js';
import { isShare } from './metric-form.js';

export type Variant = Experiment['variants'][number];
export type ExperimentPlan = NonNullable<Experiment['plan']>;

/** An experiment to begin with: two arms of equal size, who buys decides. */
export function newExperiment(experimentId: string): Experiment {
  return {
    ...{ experimentId, name: 'New experiment', hypothesis: '', when: null, coveragePercent: 100, seed: '1' },
    variants: [
      { variantId: 'a', name: 'As it is', weight: 1 },
      { variantId: 'b', name: 'Changed', weight: 1 },
    ],
    metrics: { primary: { kind: 'share', of: 'converted' }, secondary: [], guardrails: [] },
    plan: null,
    state: 'planned',
  };
}

/**
 * Whether players may have been drawn by the experiment as it is published. Then variants, weights, layer, activation and the primary metric stay
 * as they are, unless another seed draws all players anew.
 */
export function isDrawn({ seed }: Experiment, published: Experiment | undefined): boolean {
  return published !== undefined && published.state !== 'planned' && published.seed === seed;
}

/** A step to another state, in the draft. */
export type StateStep = { label: string; next: Experiment };

/** What state the experiment has in the draft, what publishing it does, and what may be done instead. */
export function stateInWords(
  experiment: Experiment,
  published: Experiment | undefined,
): { sentence: string; steps: StateStep[] } {
  const { state, seed } = experiment;
  const former = published?.seed === seed ? published : undefined;
  const to = (label: string, next: Experiment['state']): StateStep => ({
    label,
    next: { ...experiment, state: next },
  });
  switch (state) {
    case 'planned':
      if (published?.state === 'running' && former === undefined)
        return {
          sentence: 'Drawn anew: the run so far ends when the draft is published.',
          steps: [to('Start', 'running'), { label: 'Keep the run so far', next: published }],
        };
      return { sentence: 'Planned: nobody has an arm.', steps: [to('Start', 'running')] };
    case 'running':
      return former?.state === 'running'
        ? {
            sentence: 'Running. “End” on its page gives everybody the winner.',
            steps: [to('Stop', 'stopped')],
          }
        : {
            sentence: 'Starts when the draft is published.',
            steps: [to('Do not start', former?.state === 'stopped' ? 'stopped' : 'planned')],
          };
    case 'stopped':
      return former?.state === 'running'
        ? {
            sentence: 'Stops when the draft is published: nobody has an arm from then on. Its report stays.',
            steps: [to('Do not stop', 'running')],
          }
        : {
            sentence: 'Stopped: nobody has an arm. If it runs again, players have the arms that they had.',
            steps: [to('Run again', 'running')],
          };
    case 'decided':
      return { sentence: 'Decided: everybody who may enter gets the winner.', steps: [] };
  }
}

/** All players are drawn anew. Arms, metrics and the rest can change before it runs. */
export function drawnAnew({ winner: _winner, ...experiment }: Experiment): Experiment {
  return { ...experiment, seed: nextSeed(experiment.seed), state: 'planned' };
}

/** `1` becomes `2`, `autumn` becomes `autumn-2`. */
export function nextSeed(seed: string): string {
  const [, before = '', digits] = /^(.*?)(\d{1,9})?$/.exec(seed) ?? [];
  return digits === undefined ? `${before.slice(0, 54)}-2` : `${before}${Number(digits) + 1}`;
}

/** An id that is not taken: the next letter, else a number. */
export function nextVariant(variants: readonly Variant[]): Variant {
  const taken = new Set(variants.map(({ variantId }) => variantId));
  const letter = [...'abcdefghij'].find((each) => !taken.has(each)) ?? `arm_${variants.length + 1}`;
  return { variantId: letter, name: `Variant ${letter.toUpperCase()}`, weight: 1 };
}

/** The share of all players in the experiment that an arm gets. */
export function shareOfWeight(variants: readonly Variant[], weight: number): number {
  const all = variants.reduce((sum, variant) => sum + variant.weight, 0);
  return all === 0 ? 0 : weight / all;
}

export function effectUnit({ smallestEffect }: ExperimentPlan): 'points' | 'percent' {
  return 'points' in smallestEffect ? 'points' : 'percent';
}

export function effectSize({ smallestEffect }: ExperimentPlan): number {
  return 'points' in smallestEffect ? smallestEffect.points : smallestEffect.percent;
}

export function effectOf(unit: 'points' | 'percent', size: number): ExperimentPlan['smallestEffect'] {
  return unit === 'points' ? { points: size } : { percent: size };
}

/** The metrics with another primary one. A change in points makes sense of shares only. */
export function withPrimary(experiment: Experiment, primary: Experiment['metrics']['primary']): Experiment {
  const { plan, metrics } = experiment;
  const isKept = plan === null || isShare(primary) || effectUnit(plan) === 'percent';
  return {
    ...experiment,
    metrics: { ...metrics, primary },
    plan: isKept ? plan : { ...plan, smallestEffect: { percent: 10 } },
  };
}

type Shown = DataOf<'listExperiments'>['experiments'][number];
/** A line of the list: what is published, and what is in the draft. */
export type ListedExperiment = {
  experimentId: string;
  name: string;
  state: string;
  isInDraft: boolean;
  shown: Shown | undefined;
};

/** The experiments of the draft in its order, then those that the draft takes away. */
export function listedExperiments(
  published: readonly Shown[],
  drafted: readonly Experiment[],
): ListedExperiment[] {
  const shownOf = new Map(published.map((shown) => [shown.experiment.experimentId, shown]));
  const inDraft = drafted.map(({ experimentId, name, state }): ListedExperiment => {
    const shown = shownOf.get(experimentId);
    const isSame = shown === undefined || shown.experiment.state === state;
    const words = isSame ? state : `${shown.experiment.state}, ${state} in the draft`;
    return { experimentId, name, state: words, isInDraft: true, shown };
  });
  const kept = new Set(drafted.map(({ experimentId }) => experimentId));
  const gone = published
    .filter(({ experiment }) => !kept.has(experiment.experimentId))
    .map((shown): ListedExperiment => {
      const { experimentId, name, state } = shown.experiment;
      return { experimentId, name, state: `${state}, not in the draft`, isInDraft: false, shown };
    });
  return [...inDraft, ...gone];
}

/** Whether the text of some rule of the document reads it. The service decides by the rules themselves, and says so in the dry run. */
export function isRead({ experiments: _, ...document }: ConfigDocument, experimentId: string): boolean {
  const isIn = (value: unknown): boolean =>
    typeof value === 'string'
      ? value.replace(/\s/g, '').replaceAll("'", '"').includes(`experiment("${experimentId}")`)
      : typeof value === 'object' && value !== null && Object.values(value).some(isIn);
  return isIn(document);
}
