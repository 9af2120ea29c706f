import { findConfigVersionAt } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { findFacts } from '../../core/players/facts-queries.js';
import { findModelsAt } from '../../core/predictions/models-at.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import { decide } from '../../decide/decide/decide.js';
import type { Regression } from '../../decide/predict/explanation.js';
import { toldValue } from '../../decide/predict/score.js';
import {
  type ExplainedPrediction,
  explainedPredictions,
} from '../../liveops/explanations/explained-predictions.js';
import { toOwnJson } from '../../liveops/own-attributes/own-json.js';
import type { Client } from '../../platform/db/pool.js';
import type { ExportedPlayer } from './export-queries.js';

/** What the published configuration and the models in force make of the player now. Nothing of it is stored. */
export async function exportedDecisions(
  client: Client,
  { playerId, gameId }: Pick<ExportedPlayer, 'playerId' | 'gameId'>,
  nowMs: number,
) {
  const [reading] = await findFacts(client, [playerId], nowMs);
  if (reading === undefined) throw new Error('a player has disappeared from a snapshot');
  const version = await findConfigVersionAt(client, gameId, nowMs);
  const found = await findModelsAt(client, gameId, nowMs);
  const steps = compilationSteps(version.document, version, () => {});
  const compiled = await documentWork.run(gameId, steps);
  const { flags, segments } = decide(compiled, reading.facts, nowMs, {
    models: found.models,
    onError: () => {},
  });
  const { predictions } = explainedPredictions(reading.facts, found, compiled, { atMs: nowMs });
  return {
    flags,
    attributes: toOwnJson(reading.facts.own, version.document.attributes ?? [], nowMs),
    segments: segments.map(({ segmentId, name }) => ({ segmentId, name })),
    predictions: Object.fromEntries(
      Object.entries(predictions).map(([name, prediction]) => [name, exportedPrediction(prediction)]),
    ),
  };
}

/** Without what tells how many players the game has, which is not about this player. */
function exportedPrediction(prediction: ExplainedPrediction) {
  const { value, defaultValue, expiredAt, unit, horizonDays, state, sentence, regression } = prediction;
  return {
    value: toldValue(value),
    defaultValue: toldValue(defaultValue),
    expiredAt,
    unit,
    horizonDays,
    state,
    explanation: state === 'ready' ? sentence : 'This is the average of similar players.',
    reasons: regression === null ? [] : reasonsOf(regression),
  };
}

function reasonsOf({ contributions, slope }: Regression) {
  return contributions.map(({ label, told, logOdds }) => ({
    label,
    value: told,
    effect: logOdds * slope > 0 ? ('raises' as const) : ('lowers' as const),
  }));
}
