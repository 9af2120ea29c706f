import { findConfigVersionAt } from '../core/configs/config-queries.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { type Confirmations, type PublishOutcome, publishConfig } from '../liveops/configs/publish.js';
import type { Actor } from '../platform/admin-api/audit-log.js';
import type { Pool } from '../platform/db/pool.js';

export type EndRequest = Pick<Confirmations, 'confirmPriceRaises'> &
  Readonly<{
    gameId: number;
    experimentId: string;
    /** The variant that everybody gets from now on. */
    winner: string;
    note: string;
    /** The version that its author has seen; by default the one in force. */
    basedOn?: number;
  }>;

export type EndOutcome =
  | PublishOutcome
  | Readonly<{ outcome: 'no_such_experiment' | 'not_running' }>
  | Readonly<{ outcome: 'no_such_variant'; variants: readonly string[] }>;

/**
 * Ends a running experiment in one publication: the winner becomes the value of `experiment("id")` for everybody of its `when`, so every rule that reads it
 * gives all players what the winner gave. Nothing else of the document changes. A draft stays as it is. If players of another arm would
 * see a price go up, that has to be confirmed, as with any publication.
 */
export async function endExperiment(
  pool: Pool,
  { gameId, experimentId, winner, note, basedOn, confirmPriceRaises = false }: EndRequest,
  actor: Actor,
): Promise<EndOutcome> {
  const { version, document } = await findConfigVersionAt(pool, gameId, actor.nowMs);
  const experiments = document.experiments ?? [];
  const ended = experiments.find((each) => each.experimentId === experimentId);
  if (ended === undefined) return { outcome: 'no_such_experiment' };
  if (ended.state !== 'running') return { outcome: 'not_running' };
  const variants = ended.variants.map(({ variantId }) => variantId);
  if (!variants.includes(winner)) return { outcome: 'no_such_variant', variants };
  const decided: ExperimentEntry = { ...ended, state: 'decided', winner };
  return publishConfig(
    pool,
    {
      ...{ gameId, note, basedOn: basedOn ?? version },
      document: { ...document, experiments: experiments.map((each) => (each === ended ? decided : each)) },
      // No value is taken away: players of the other arms get another one, which is what was decided.
      ...{ confirmPriceRaises, confirmLostValues: true },
    },
    actor,
  );
}
