import { findFacts } from '../../server/dist/core/players/facts-queries.js';
import { predictionFacts } from '../../server/dist/decide/attributes/player-history.js';
import { score } from '../../server/dist/decide/predict/score.js';

const DAY_MS = 86_400_000;
const PLAYERS = 200;
const ROUNDS = 50;
/** Until the functions are compiled. */
const WARM_ROUNDS = 20;

const KINDS = [
  ['payers', 'first_purchase_at is not null'],
  ['players who have not paid', 'first_purchase_at is null'],
];

/**
 * The time that all predictions of one player take, with what a decision does for them: the sets of days are parsed, too. A player's
 * time is the median of the rounds, because other processes interrupt some of them. Of each kind of player the mean, and the slowest.
 */
export async function measureScoring(pool, gameId, artefact, nowMs) {
  const today = Math.floor(nowMs / DAY_MS);
  const found = [];
  for (const [kind, condition] of KINDS) {
    const { rows } = await pool.query(
      `select id::text from players where game_id = $1 and ${condition} order by id limit $2`,
      [gameId, PLAYERS],
    );
    // All players of a game of buyers have paid.
    if (rows.length === 0) continue;
    const readings = await findFacts(
      pool,
      rows.map(({ id }) => id),
      nowMs,
    );
    const facts = readings.map((reading) => reading.facts);
    const times = facts.map(() => []);
    for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
      for (const [index, each] of facts.entries()) {
        const begun = performance.now();
        score(predictionFacts(each), artefact, today);
        if (round >= 0) times[index].push(1_000 * (performance.now() - begun));
      }
    }
    const micros = times.map(medianOf);
    const mean = micros.reduce((sum, each) => sum + each, 0) / micros.length;
    found.push({ kind, players: facts.length, mean, slowest: Math.max(...micros) });
  }
  return found;
}

function medianOf(values) {
  return values.sort((one, other) => one - other)[values.length >> 1];
}
