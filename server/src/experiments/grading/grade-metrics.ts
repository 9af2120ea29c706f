import { Gauge, Registry } from 'prom-client';
import type { Pool } from '../../platform/db/pool.js';
import { type GameStanding, listStandings } from './grade-queries.js';

/** Prometheus keeps a series for each game: of an installation with more games it gets the oldest ones. */
const MAX_GAMES = 200;

/** How the statistics of experiments are graded. Queried from the database when the metrics are read. */
export function createGradeMetrics(pool: Pool): { registry: Registry } {
  const registry = new Registry();
  const gauge = (name: string, help: string, measure: (standing: GameStanding) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['tenant', 'game'] as const,
      registers: [registry],
      async collect() {
        // The other metrics must stay readable without the database.
        const standings = await listStandings(pool, MAX_GAMES).catch(() => []);
        this.reset();
        for (const standing of standings) {
          const value = measure(standing);
          if (value !== null) this.set({ tenant: standing.tenant, game: standing.game }, value);
        }
      },
    });
  gauge(
    'savepoint_experiment_false_alarm_ratio',
    'Share of the hidden A/A experiments of the last 28 nights that gave a false alarm: at most 0.05 is promised.',
    ({ rate }) => rate,
  );
  gauge(
    'savepoint_experiment_false_alarms_in_bound',
    '1, or 0 if hidden A/A experiments gave more false alarms than chance explains: then verdicts of experiments cannot be trusted.',
    ({ state }) => (state === 'waiting' ? null : Number(state === 'good')),
  );
  return { registry };
}
