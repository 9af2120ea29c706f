import {
  armsInFlags,
  armsInStore,
  armsInValues,
  EXPERIMENT_IDS,
  type Flags,
  roundIn,
  type Shown,
  type Store,
  type Values,
} from './exposure-document.js';

/** What a response tells about the arms of a player. */
export type Reading = Readonly<{
  shown: Shown;
  /** Which seed of the experiment that is drawn anew it is about. Responses that do not say it do not show that experiment. */
  round: number;
  /** It shows the arms of all experiments. */
  isWhole: boolean;
  /** What in it does not agree. */
  complaint?: string | undefined;
}>;

type ValuesBody = Readonly<{
  values: Values;
  experiments: readonly Readonly<{ experimentId: string; variantId: string }>[];
}>;

/** All arms by their names. What follows from an arm must be of that arm. */
export function readValues({ values, experiments }: ValuesBody): Reading {
  const named = new Map(experiments.map(({ experimentId, variantId }) => [experimentId, variantId]));
  const shown = new Map(EXPERIMENT_IDS.map((id) => [id, named.get(id) ?? '']));
  const different = [...armsInValues(values)].filter(([id, variantId]) => variantId !== shown.get(id));
  const complaint =
    different.length === 0 ? undefined : `${JSON.stringify(values)} with ${JSON.stringify(experiments)}`;
  return { shown, round: roundIn(values), isWhole: true, complaint };
}

export function readStatus(flags: Flags): Reading {
  return { shown: armsInFlags(flags), round: 1, isWhole: false };
}

export function readStore(store: Store): Reading {
  return { shown: armsInStore(store), round: 1, isWhole: false };
}

type PlayerConfig = Readonly<{ playerStatus: Flags; storeConfig: Store; values: Values }>;

/** All arms by what follows from them. */
export function readLogin({ playerStatus, storeConfig, values }: PlayerConfig): Reading {
  const shown = new Map([...armsInValues(values), ...armsInFlags(playerStatus), ...armsInStore(storeConfig)]);
  return { shown, round: roundIn(values), isWhole: true };
}
