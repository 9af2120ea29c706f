import type { ModelCard, ModelName, Models, OriginMetrics } from './artefact.js';
import type { ModelSource } from './model-source.js';

export type ModelReport = Readonly<{
  model: ModelName;
  outcome: 'promoted' | 'refused' | 'cold_start';
  /** What is missing, why it was refused, or what it gains. */
  reason: string;
  /** Whether predictions go on with the model that was in use before. */
  isPresentKept: boolean;
  origins: readonly OriginMetrics[];
  /** The model that was refused: the artefact has the one that predictions go on with. Trainings of older versions did not keep it. */
  refusedModel?: RefusedModel;
  /** Whose players the model that was fitted has learnt from. */
  source?: ModelSource;
}>;

/** Its `origins` are those of the report. */
export type RefusedModel = Readonly<
  { [Name in ModelName]: Omit<Extract<Models[Name], ModelCard>, 'state' | 'origins'> }[ModelName]
>;
