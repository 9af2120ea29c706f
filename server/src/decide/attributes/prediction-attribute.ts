import { PREDICTION_NAMES, type PredictionName } from '../predict/artefact.js';
import { toldValue } from '../predict/score.js';
import type { Attribute, AttributeField, ValueType } from './attribute.js';
import { player } from './define-attributes.js';
import type { AttributeReader } from './player-attributes.js';
import { TIME_BASIS } from './time-basis.js';

/**
 * All predictions of a player are computed once per decision; docs/performance.md says how long that takes. Each value that a rule
 * reads counts it, so the cost of rules that read several is an upper bound.
 */
const SCORING_COST = 100;
/** Without a model every player has the average, so no player is above or below the others. */
const MIDDLE_PERCENTILE = 50;

/** The list of completions shows the field beside it. */
const EXPECTATIONS: Readonly<Record<PredictionName, string>> = {
  churn: 'the probability of not being active in the next 7 days',
  spend: 'the probability of a purchase in the next 7 days',
  purchases: 'how many purchases are expected in the next 28 days',
  revenue: 'how much is expected to be spent in the next 28 days',
  revenue90: 'how much is expected to be spent in the next 90 days',
  payerAlive: 'the probability that a payer has not stopped buying for good',
};

/** What the player will probably do: `predictions.churn.value > 0.7`. */
export const PREDICTIONS: Attribute = {
  name: 'predictions',
  usage: 'predictions.churn.value',
  type: 'Predictions',
  description: 'What the player will probably do; the average unless the state is "ready".',
  key: null,
  value: null,
  fields: PREDICTION_NAMES.flatMap(fieldsOf),
};

function fieldsOf(name: PredictionName): AttributeField[] {
  return [
    field(`${name}.value`, 'double', EXPECTATIONS[name], ({ predictions }) =>
      toldValue(predictions[name].value),
    ),
    field(
      `${name}.band`,
      'string',
      `"low", "medium" or "high", "" unless the state is "ready": ${EXPECTATIONS[name]}`,
      ({ predictions }) => predictions[name].band ?? '',
    ),
    field(
      `${name}.percentile`,
      'int',
      'the share of players with a lower value, in whole percent; 50 unless the state is "ready"',
      ({ predictions }) => predictions[name].percentile ?? MIDDLE_PERCENTILE,
    ),
    field(
      `${name}.state`,
      'string',
      '"ready": from a model; "cold_start", "degraded" or "off": an average',
      ({ predictions }) => predictions[name].state,
    ),
  ];
}

function field(name: string, type: ValueType, description: string, read: AttributeReader): AttributeField {
  return {
    name,
    type,
    description,
    basis: TIME_BASIS.predictions,
    workCost: SCORING_COST,
    readerOf: () => read,
    factsOf: () => [{ of: 'history' }, player('createdAt')],
  };
}
