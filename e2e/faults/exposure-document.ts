import { DEFAULT_DOCUMENT } from '../../server/src/decide/document/default-document.js';
import type { ConfigDocument } from '../../server/src/decide/document/document.js';
import type { ExperimentEntry } from '../../server/src/decide/document/parts/experiments.js';
import { experiment, offer, sku, value } from '../../server/test/decide/support/fixtures.js';

/** What changes from publication to publication. */
export type Phase = Readonly<{
  /** Of the experiments whose coverage is raised. */
  coverage: number;
  /** `late` has nobody in it before: then its weights may change. */
  isLateOpen: boolean;
  /** `redrawn` has another seed, and other weights. */
  isRedrawn: boolean;
  /** Other weights of `redrawn` under the seed that players are exposed to: this is refused. */
  isRefused?: boolean;
}>;

export const FIRST_PHASE: Phase = { coverage: 20, isLateOpen: false, isRedrawn: false };

type Tried = Readonly<{
  experimentId: string;
  /** The only part of the document that reads it. */
  reader: 'value' | 'flag' | 'offer';
  weights: readonly number[];
  more: Partial<ExperimentEntry>;
}>;

/** Its players count from their first visit to the store. */
export const ACTIVATED = 'store_visit';
export const ACTIVATION = 'Store_View';

const REDRAWN = 'redrawn';
const PAIRS = [1, 1];
const VARIANT_IDS = ['a', 'b', 'c'];

const slot = (layerId: string, fromPercent: number, toPercent: number) => ({
  layer: { layerId, fromPercent, toPercent },
});

/** All of them run all the time. */
function triedIn({ coverage, isLateOpen, isRedrawn, isRefused = false }: Phase): readonly Tried[] {
  const raised = { coveragePercent: coverage };
  const valued = (experimentId: string, more: Tried['more'], weights: readonly number[] = PAIRS): Tried => ({
    ...{ experimentId, reader: 'value', weights, more },
  });
  return [
    valued('drop_rate', { ...raised, ...slot('economy', 0, 40) }),
    valued('energy', { coveragePercent: 90, ...slot('economy', 40, 80) }),
    { experimentId: 'bundle', reader: 'offer', weights: PAIRS, more: { ...raised, ...slot('shop', 0, 50) } },
    {
      ...{ experimentId: 'banner', reader: 'flag', weights: PAIRS },
      more: { coveragePercent: 80, ...slot('shop', 50, 100) },
    },
    valued('tutorial', raised, [1, 2, 1]),
    { experimentId: 'difficulty', reader: 'flag', weights: PAIRS, more: raised },
    // Once in the segment, always in it: so nobody who was told an arm can be refused it before the arm is stored.
    valued('payer_gift', { coveragePercent: 80, when: '"payer" in segments' }),
    valued(ACTIVATED, { coveragePercent: 90, activation: { eventType: ACTIVATION } }),
    valued(
      REDRAWN,
      { coveragePercent: 60, seed: isRedrawn ? '2' : '1' },
      isRedrawn || isRefused ? [9, 1] : PAIRS,
    ),
    valued('late', { coveragePercent: isLateOpen ? 50 : 0 }, isLateOpen ? [3, 1] : PAIRS),
  ];
}

const TRIED = triedIn(FIRST_PHASE);
export const EXPERIMENT_IDS = TRIED.map(({ experimentId }) => experimentId);
/** Pairs that share no player. */
export const LAYERS: readonly (readonly [string, string])[] = [
  ['drop_rate', 'energy'],
  ['bundle', 'banner'],
];

const idsReadBy = (wanted: Tried['reader']) =>
  TRIED.filter(({ reader }) => reader === wanted).map(({ experimentId }) => experimentId);
const variantsOf = ({ weights }: Pick<Tried, 'weights'>) => VARIANT_IDS.slice(0, weights.length);
const asks = (experimentId: string, variantId: string) => `experiment("${experimentId}") == "${variantId}"`;
const valueKeyOf = (experimentId: string) => `arm_${experimentId}`;
const flagOf = (experimentId: string, variantId: string) => `${experimentId}Arm${variantId}`;
/** Says which seed of `redrawn` a response is about. */
const ROUND = 'round';

export function documentOf(phase: Phase): ConfigDocument {
  const tried = triedIn(phase);
  const readBy = (wanted: Tried['reader']) => tried.filter(({ reader }) => reader === wanted);
  return {
    ...DEFAULT_DOCUMENT,
    experiments: tried.map(({ experimentId, weights, more }) =>
      experiment(experimentId, {
        variants: weights.map((weight, n) => ({
          ...{ variantId: VARIANT_IDS[n] ?? '', name: `Arm ${n}`, weight },
        })),
        ...more,
      }),
    ),
    values: [
      value(ROUND, { defaultValue: phase.isRedrawn ? 2 : 1 }),
      ...readBy('value').map(({ experimentId, ...of }) =>
        value(valueKeyOf(experimentId), {
          ...{ type: 'string', defaultValue: '' },
          rules: variantsOf(of).map((variantId) => ({
            ...{ when: asks(experimentId, variantId), sharePercent: 100, value: variantId },
          })),
        }),
      ),
    ],
    flags: {
      ...DEFAULT_DOCUMENT.flags,
      custom: readBy('flag').flatMap(({ experimentId, ...of }) =>
        variantsOf(of).map((variantId) => ({
          ...{ flagId: flagOf(experimentId, variantId), name: 'Arm' },
          ...{ rule: asks(experimentId, variantId), defaultValue: false },
        })),
      ),
    },
    catalogue: [sku('gems')],
    offers: readBy('offer').flatMap(({ experimentId, ...of }) =>
      variantsOf(of).map((variantId, n) =>
        offer(`${experimentId}_${variantId}`, {
          when: asks(experimentId, variantId),
          effect: { price: { discountPercent: String(10 * (n + 1)) }, promoId: variantId },
        }),
      ),
    ),
  };
}

export const seedOf = (experimentId: string, round: number): string =>
  experimentId === REDRAWN ? String(round) : '1';

/** The arms that a response shows by what follows from them, by experiment; an empty text for a player who is not in it. */
export type Shown = ReadonlyMap<string, string>;

export type Values = Readonly<Record<string, unknown>>;
export type Flags = Readonly<Record<string, Readonly<{ value: boolean }>>>;
export type Store = Readonly<{ userSpecificPromoId: string | null }>;

export const roundIn = (values: Values): number => Number(values[ROUND]);

export function armsInValues(values: Values): Shown {
  return new Map(idsReadBy('value').map((id) => [id, String(values[valueKeyOf(id)])]));
}

export function armsInFlags(flags: Flags): Shown {
  return new Map(
    idsReadBy('flag').map((id) => [
      id,
      VARIANT_IDS.filter((variantId) => flags[flagOf(id, variantId)]?.value).join(' and '),
    ]),
  );
}

export function armsInStore({ userSpecificPromoId }: Store): Shown {
  return new Map(idsReadBy('offer').map((id) => [id, userSpecificPromoId ?? '']));
}
