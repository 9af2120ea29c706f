import { createHash } from 'node:crypto';
import { blankFacts } from '../../decide/attributes/blank-facts.js';
import { ALL_PREDICTIONS, predictionsOffFor } from '../../decide/attributes/children.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import { predictionFacts } from '../../decide/attributes/player-history.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { score, switchOff } from '../../decide/predict/score.js';
import type { Clock } from '../../platform/lib/clock.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import type { ConfigSnapshots } from '../configs/config-snapshots.js';
import type { FactReadings } from '../players/fact-readings.js';
import type { PlayerRow } from '../players/player-row.js';
import { modelsJson, predictionsJson } from './prediction-json.js';
import type { PredictionSnapshot, PredictionSnapshots } from './prediction-snapshots.js';

/**
 * The predictions that a player gets: a pure function of the row of the player, the models in force, the UTC day, and the
 * predictions that the published document shows to clients. They are cached until one of these has changed. Every request reads
 * the versions with a query that it makes anyway (ADR 0008).
 */
export type PlayerPredictions = {
  responseFor(player: PlayerRow): PredictionResponse | Promise<PredictionResponse>;
};

export type PredictionResponse = Readonly<{
  predictionsJson: string;
  modelsJson: string;
  etag: string;
  /** Midnight, in epoch milliseconds. */
  validUntil: number;
}>;

type Remembered = Readonly<{
  rowVersion: string;
  predictionsVersion: number;
  configVersion: number;
  workedOutAt: number;
  response: PredictionResponse;
}>;

/** An entry takes about 1.5 KB. */
const MAX_REMEMBERED = 5_000;
/** As for all cached responses. Bounds the harm of a row version that is used twice after a failover. */
const MAX_AGE_MS = 60_000;

export type PlayerPredictionsOptions = {
  readings: FactReadings;
  snapshots: PredictionSnapshots;
  gameConfigs: ConfigSnapshots;
  clock: Clock;
  /** For the studio's own servers: also those that the document does not show to clients. */
  showsAll?: boolean;
};

export function createPlayerPredictions({
  readings,
  snapshots,
  gameConfigs,
  clock,
  showsAll = false,
}: PlayerPredictionsOptions): PlayerPredictions {
  const remembered = createFifoMap<string, Remembered>();

  const work = (
    { playerId, userId, rowVersion }: Pick<PlayerRow, 'playerId' | 'userId' | 'rowVersion'>,
    facts: PlayerFacts,
    { version, artefact, distrusted, modelTexts }: PredictionSnapshot,
    document: CompiledDocument,
  ): PredictionResponse => {
    const workedOutAt = clock.now();
    const today = Math.floor(workedOutAt / DAY_MS);
    const off = predictionsOffFor(facts, document);
    const scored = switchOff(score(predictionFacts(facts), artefact, today, distrusted), off);
    const visible = showsAll ? ALL_PREDICTIONS : document.visiblePredictions;
    const told = predictionsJson(scored, visible);
    const models = modelsJson(modelTexts, scored, visible);
    const response = {
      predictionsJson: told,
      modelsJson: models,
      etag: etagOf(userId + told + models),
      validUntil: (today + 1) * DAY_MS,
    };
    remembered.delete(playerId);
    remembered.set(playerId, {
      rowVersion,
      predictionsVersion: version,
      configVersion: document.version,
      workedOutAt,
      response,
    });
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.oldest() : undefined;
    if (oldest !== undefined) remembered.delete(oldest[0]);
    return response;
  };

  const read = async (player: PlayerRow): Promise<PredictionResponse> => {
    const reading = await readings.of(player.playerId);
    const snapshot = await snapshots.get(reading.gameId, reading.predictionsVersion);
    const document = await gameConfigs.get(reading.gameId, reading.configVersion);
    return work({ ...player, rowVersion: reading.rowVersion }, reading.facts, snapshot, document);
  };

  return {
    responseFor(player) {
      const known = remembered.get(player.playerId);
      if (
        known !== undefined &&
        known.rowVersion === player.rowVersion &&
        known.predictionsVersion === player.predictionsVersion &&
        known.configVersion === player.configVersion &&
        isFresh(known, clock.now())
      ) {
        return known.response;
      }
      if (player.blankSince === null) return read(player);
      const facts = blankFacts(player.userId, player.blankSince);
      const snapshot = snapshots.get(player.gameId, player.predictionsVersion);
      const document = gameConfigs.get(player.gameId, player.configVersion);
      if (!(snapshot instanceof Promise || document instanceof Promise)) {
        return work(player, facts, snapshot, document);
      }
      return Promise.all([snapshot, document]).then((loaded) => work(player, facts, ...loaded));
    },
  };
}

function isFresh({ workedOutAt, response }: Remembered, now: number): boolean {
  return workedOutAt <= now && now < response.validUntil && now - workedOutAt < MAX_AGE_MS;
}

/** Weak, because `asOf` differs between responses that are otherwise the same. */
function etagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
