import { lockGame } from '../../src/core/configs/config-queries.js';
import {
  findNewestModelVersion,
  insertModel,
  insertNextState,
} from '../../src/core/predictions/model-queries.js';
import type { Artefact, ModelName } from '../../src/decide/predict/artefact.js';
import { readArtefact } from '../../src/decide/predict/read-artefact.js';
import { train } from '../../src/decide/predict/train.js';
import { type Pool, transaction } from '../../src/platform/db/pool.js';
import { dateOf } from '../../src/platform/lib/day.js';
import { expectedGame } from '../decide/predict/expected-game.js';

/** An artefact in which all three models are ready, as it is read back from the database. */
export function trainedArtefact(): Artefact {
  const { artefact } = train(expectedGame(20_000, 600, 6), 1, null);
  const text = JSON.stringify(artefact, (key, value) => (key === 'players' ? Math.ceil(value) : value));
  const reading = readArtefact(JSON.parse(text));
  if (!reading.readable) throw new Error(reading.problem);
  return reading.artefact;
}

/** Another model of churn: everybody is more likely to stay, or to leave. */
export function shiftedChurn(artefact: Artefact, logOdds: number): Artefact {
  const { activity } = artefact.models;
  if (activity.state !== 'ready') throw new Error('there is no model of churn');
  const { slope, offset } = activity.calibration;
  const calibration = { slope, offset: offset + logOdds };
  return { ...artefact, models: { ...artefact.models, activity: { ...activity, calibration } } };
}

/** Puts an artefact in force as a training does. Gives the number of the model. */
export async function putInForce(
  pool: Pool,
  gameId: number,
  artefact: Artefact,
  nowMs: number,
  distrusted: ModelName[] = [],
): Promise<number> {
  return transaction(pool, async (client) => {
    await lockGame(client, gameId);
    const version = (await findNewestModelVersion(client, gameId)) + 1;
    await insertModel(client, {
      gameId,
      version,
      trainedAt: nowMs,
      author: 'test',
      trainedDay: dateOf(artefact.trainedDay),
      players: 1,
      allPlayers: 1,
      payers: 1,
      allPayers: 1,
      durationMs: 1,
      isPromoted: true,
      report: { models: [], progress: [], cells: 0 },
      artefact: { ...artefact, version },
    });
    const state = {
      since: nowMs,
      author: 'test',
      cause: 'train',
      modelVersion: version,
      distrusted,
    } as const;
    await insertNextState(client, gameId, state);
    return version;
  });
}
