import { findCurrentModels } from '../../core/predictions/models-at.js';
import { PlayerAttributes } from '../../decide/attributes/player-attributes.js';
import { compileDocument } from '../../decide/compile/compile-document.js';
import { DEFAULT_DOCUMENT } from '../../decide/document/default-document.js';
import { PREDICTION_NAMES, type PredictionName } from '../../decide/predict/artefact.js';
import type { Predictions } from '../../decide/predict/score.js';
import { type Pool, snapshot } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { utcDay } from '../../platform/lib/day.js';
import { rateOn } from '../../studio/money/exchange-rates.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { factColumns } from '../evaluations/fact-columns.js';
import { factNeeds } from '../evaluations/fact-needs.js';
import { listFactRowsOf } from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { PORTION_PLAYERS } from './player-samples.js';
import type { PlayerSample } from './sample-queries.js';
import { scaleOf } from './sample-scale.js';
import { distributionOf, type ScoreDistribution } from './score-bins.js';

export type ScoreDistributions = Readonly<{
  players: number;
  examined: number;
  isSampled: boolean;
  modelVersion: number | null;
  predictions: Readonly<Record<PredictionName, ReportedDistribution>>;
}>;

/** Bins are in the currency of the model, because rules compare with it. */
type ReportedDistribution = ScoreDistribution &
  Readonly<{
    /** Of an amount: what one unit of it is worth today; null without a reporting currency, and without a rate. */
    reported: Readonly<{ currency: string; rate: string }> | null;
  }>;

/** A document with a rule that uses a prediction: the rules decide which facts are read. */
const ASKING = compileDocument(
  {
    ...DEFAULT_DOCUMENT,
    offers: [],
    segments: [
      {
        segmentId: 'any',
        name: '-',
        rule: 'predictions.churn.value >= 0.0',
        visibleToClients: false,
        priority: 0,
      },
    ],
  },
  { version: 0, publishedAt: 0 },
);

/** The distribution of the predictions over the players of a game. Each player is scored as for a response to the player. */
export async function countScores(
  pool: Pool,
  gameId: number,
  sample: PlayerSample,
  nowMs: number,
): Promise<ScoreDistributions> {
  const { models, state } = await findCurrentModels(pool, gameId);
  const columns = factColumns(factNeeds([ASKING]), { atMs: nowMs });
  const timeSlice = new TimeSlice(() => performance.now());
  const scored: Predictions[] = [];
  const { ids } = sample;
  await snapshot(pool, async (client) => {
    for (const portion of chunksOf(ids, PORTION_PLAYERS)) {
      for (const row of await listFactRowsOf(client, gameId, columns, portion)) {
        scored.push(new PlayerAttributes(columns.toFacts(row), nowMs, models).predictions);
        if (timeSlice.isOver) await timeSlice.giveWay();
      }
    }
  });
  const { scale, ...counted } = scaleOf(sample, scored.length);
  const rates = await findRateTable(pool, gameId);
  const entries = PREDICTION_NAMES.map((name) => {
    const values = scored.map((each) => each[name]);
    const distribution = distributionOf(values, scale);
    const rate = rates === null ? undefined : rateOn(rates, distribution.unit, utcDay(nowMs));
    const reported = rates === null || rate === undefined ? null : { currency: rates.currency, rate };
    return [name, { ...distribution, reported }];
  });
  return {
    ...counted,
    modelVersion: state?.modelVersion ?? null,
    predictions: Object.fromEntries(entries) as ScoreDistributions['predictions'],
  };
}
