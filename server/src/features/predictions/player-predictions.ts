import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS } from '../../lib/day.js';
import { createFifoMap } from '../../lib/fifo-map.js';
import type { PredictionFacts } from '../../personalisation/predict/prediction-facts.js';
import { score } from '../../personalisation/predict/score.js';
import type { FactReadings } from '../players/fact-readings.js';
import type { PlayerRow } from '../players/player-row.js';
import { blankPredictionFacts, predictionFacts } from './prediction-history.js';
import { predictionsJson } from './prediction-json.js';
import type { PredictionSnapshot, PredictionSnapshots } from './prediction-snapshots.js';

/**
 * The predictions that a player is told: a pure function of the player's row, the models in force and the UTC day. They are
 * remembered until one of the three has changed; every request learns the versions from the query that it makes anyway
 * (ADR 0008).
 */
export type PlayerPredictions = {
  answerFor(player: PlayerRow): PredictionAnswer | Promise<PredictionAnswer>;
};

export type PredictionAnswer = Readonly<{
  predictionsJson: string;
  modelsJson: string;
  etag: string;
  /** Midnight, in epoch milliseconds. */
  validUntil: number;
}>;

type Remembered = Readonly<{
  rowVersion: string;
  predictionsVersion: number;
  workedOutAt: number;
  answer: PredictionAnswer;
}>;

/** About 1.5 KB each. */
const MAX_REMEMBERED = 5_000;
/** As for all remembered answers: bounds how long a number of a row that came twice, after a failover, could matter. */
const MAX_AGE_MS = 60_000;

export type PlayerPredictionsOptions = {
  readings: FactReadings;
  snapshots: PredictionSnapshots;
  clock: Clock;
};

export function createPlayerPredictions({
  readings,
  snapshots,
  clock,
}: PlayerPredictionsOptions): PlayerPredictions {
  const remembered = createFifoMap<string, Remembered>();

  const work = (
    { playerId, userId, rowVersion }: Pick<PlayerRow, 'playerId' | 'userId' | 'rowVersion'>,
    facts: PredictionFacts,
    { version, artefact, distrusted, modelsJson }: PredictionSnapshot,
  ): PredictionAnswer => {
    const workedOutAt = clock.now();
    const today = Math.floor(workedOutAt / DAY_MS);
    const json = predictionsJson(score(facts, artefact, today, distrusted));
    const answer = {
      predictionsJson: json,
      modelsJson,
      etag: etagOf(userId + json + modelsJson),
      validUntil: (today + 1) * DAY_MS,
    };
    remembered.delete(playerId);
    remembered.set(playerId, { rowVersion, predictionsVersion: version, workedOutAt, answer });
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.oldest() : undefined;
    if (oldest !== undefined) remembered.delete(oldest[0]);
    return answer;
  };

  const read = async (player: PlayerRow): Promise<PredictionAnswer> => {
    const reading = await readings.of(player.playerId);
    const snapshot = await snapshots.get(reading.gameId, reading.predictionsVersion);
    return work({ ...player, rowVersion: reading.rowVersion }, predictionFacts(reading), snapshot);
  };

  return {
    answerFor(player) {
      const known = remembered.get(player.playerId);
      if (
        known !== undefined &&
        known.rowVersion === player.rowVersion &&
        known.predictionsVersion === player.predictionsVersion &&
        isFresh(known, clock.now())
      ) {
        return known.answer;
      }
      if (player.blankSince === null) return read(player);
      const facts = blankPredictionFacts(player.blankSince);
      const snapshot = snapshots.get(player.gameId, player.predictionsVersion);
      if (snapshot instanceof Promise) return snapshot.then((loaded) => work(player, facts, loaded));
      return work(player, facts, snapshot);
    },
  };
}

function isFresh({ workedOutAt, answer }: Remembered, now: number): boolean {
  return workedOutAt <= now && now < answer.validUntil && now - workedOutAt < MAX_AGE_MS;
}

/** Weak: `asOf` differs from answer to answer while nothing else does. */
function etagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
