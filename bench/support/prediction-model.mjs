import { simulateOrigins } from '../../scripts/simulated-training.mjs';
import { lockGame } from '../../server/dist/core/configs/config-queries.js';
import { insertModel, insertNextState } from '../../server/dist/core/predictions/model-queries.js';
import { train } from '../../server/dist/decide/predict/train.js';
import { createPool, transaction } from '../../server/dist/platform/db/pool.js';

const GAME = { seed: 13, players: 6_000, days: 60, weeks: 7 };

/** Puts a model of churn in force: the benchmark has too few players to train one. */
export async function putModelInForce(databaseUrl) {
  const origins = simulateOrigins(GAME);
  const { artefact, report } = train({ day: origins.at(-1).day + 7, currency: null, origins }, 1, null);
  if (artefact.models.activity.state !== 'ready') throw new Error(`no model: ${JSON.stringify(report)}`);
  const pool = createPool({ url: databaseUrl, size: 1, timeoutMs: 5000, onError: () => {} });
  try {
    const { rows } = await pool.query("select id from games where slug = 'demo-game'");
    const gameId = rows[0].id;
    await transaction(pool, async (client) => {
      await lockGame(client, gameId);
      await insertModel(client, {
        gameId,
        version: 1,
        trainedAt: Date.now(),
        author: 'bench',
        trainedDay: '2026-11-14',
        players: GAME.players,
        allPlayers: GAME.players,
        payers: 0,
        allPayers: 0,
        durationMs: 0,
        isPromoted: true,
        report: { models: report, progress: [], cells: 0 },
        artefact,
      });
      const state = { since: Date.now(), author: 'bench', cause: 'train', modelVersion: 1, distrusted: [] };
      await insertNextState(client, gameId, state);
    });
  } finally {
    await pool.end();
  }
}
