import type { StoredModel } from '../../core/predictions/model-queries.js';
import type { Artefact, ModelCard, ModelName, OriginMetrics } from '../../decide/predict/artefact.js';
import type { RefusedModel } from '../../decide/predict/model-report.js';
import { readArtefact } from '../../decide/predict/read-artefact.js';

type ReadyModel = Extract<Artefact['models'][ModelName], ModelCard>;

/** What a training found for one of the models. */
export type ComparedModel = Readonly<{
  state: 'ready' | 'refused' | 'cold_start' | 'unusable';
  /** Why the model of this training makes no predictions; null if it does. */
  reason: string | null;
  /** Its metrics in the newest week that it was not trained with. */
  newestWeek: OriginMetrics | null;
  /** Null if there is none, or if it was refused by a version that did not keep it. */
  model: ReadyModel | RefusedModel | null;
  /** The older model that the artefact has instead. */
  kept: ReadyModel | null;
}>;

/** The model that the training itself fitted, also if it was refused: the artefact has an older model then, or none. */
export function comparedModel(
  { artefact, report }: Pick<StoredModel, 'artefact' | 'report'>,
  name: ModelName,
): ComparedModel {
  const none = { newestWeek: null, model: null, kept: null };
  const reading = readArtefact(artefact);
  if (!reading.readable) return { state: 'unusable', reason: reading.problem, ...none };
  const part = reading.artefact.models[name];
  const own = report.models.find(({ model }) => model === name);
  if (own === undefined || own.outcome === 'promoted') {
    if (part.state === 'cold_start') return { state: 'cold_start', reason: part.reason, ...none };
    return { ...none, state: 'ready', reason: null, newestWeek: part.origins.at(-1) ?? null, model: part };
  }
  return {
    state: own.outcome,
    reason: own.reason,
    newestWeek: own.origins.at(-1) ?? null,
    model: own.refusedModel ?? null,
    kept: part.state === 'ready' ? part : null,
  };
}
