import type { Logger } from 'pino';
import { predictionsOffFor } from '../../decide/attributes/children.js';
import { epochDay, type PlayerFacts } from '../../decide/attributes/player-facts.js';
import { predictionFacts } from '../../decide/attributes/player-history.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { type Forecast, forecastOf } from '../../decide/predict/forecast.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import { score, switchOff } from '../../decide/predict/score.js';
import { createFailureReport } from '../../platform/lib/failure-report.js';
import type { VersionSnapshots } from '../../platform/lib/version-snapshots.js';
import type { PlayerRow } from './player-row.js';

export type VersionedModels = ModelsInForce & Readonly<{ version: number }>;

type Exposed = Readonly<{
  player: Pick<PlayerRow, 'gameId' | 'predictionsVersion'>;
  /** Those that the arms were decided with: what is expected cannot depend on an arm. */
  facts: PlayerFacts;
  document: CompiledDocument;
  atMs: number;
}>;

/** What the models in force expect of a player at an exposure. Never rejects: an exposure without a forecast still counts. */
export type ExposureForecasts = (exposed: Exposed) => Promise<Forecast | null>;

export function createExposureForecasts(
  models: VersionSnapshots<VersionedModels>,
  logger: Logger,
): ExposureForecasts {
  const report = createFailureReport(
    logger,
    'the models of a game could not be loaded, so exposures to its experiments are stored without a forecast',
  );
  return async ({ player: { gameId, predictionsVersion }, facts, document, atMs }) => {
    // Nothing has been trained.
    if (predictionsVersion === 0) return null;
    try {
      const { artefact, distrusted } = await models.get(gameId, predictionsVersion);
      const scored = score(predictionFacts(facts), artefact, epochDay(atMs), distrusted);
      return forecastOf(switchOff(scored, predictionsOffFor(facts, document)));
    } catch (error) {
      report(error);
      return null;
    }
  };
}
