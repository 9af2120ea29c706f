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

/** What the player will probably do: `predictions.churn.value > 0.7`. */
export const PREDICTIONS: Attribute = {
  name: 'predictions',
  usage: 'predictions.churn.value',
  type: 'Predictions',
  description:
    'What the player will probably do, as docs/predictions.md says. state is "ready", "cold_start", "degraded" or "off". Unless it is "ready", value is an average, band is "" and percentile is 50.',
  key: null,
  value: null,
  fields: PREDICTION_NAMES.flatMap(fieldsOf),
};

function fieldsOf(name: PredictionName): AttributeField[] {
  return [
    field(
      `${name}.value`,
      'double',
      'what is expected of this player; the average while there is no model',
      ({ predictions }) => toldValue(predictions[name].value),
    ),
    field(
      `${name}.band`,
      'string',
      '"low", "medium" or "high"; "" while there is no model',
      ({ predictions }) => predictions[name].band ?? '',
    ),
    field(
      `${name}.percentile`,
      'int',
      'the share of players with a lower value, in whole percent; 50 while there is no model',
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
