import type { Pool } from '../../db/pool.js';
import { DAY_MS } from '../../lib/day.js';
import type { SliceQueue } from '../../lib/slice-queue.js';
import type { LowestPriceBefore } from '../../personalisation/compile/price-basis.js';
import { HISTORY_DAYS, PriceHistory } from '../../personalisation/price-history/price-history.js';
import {
  type ConfigVersion,
  findConfigVersionAt,
  listVersionsPublished,
  requireConfigVersion,
} from './config-queries.js';

/** A game that publishes more often has a shorter history. */
const MAX_VERSIONS = 100;

type CurrentVersion = Pick<ConfigVersion, 'version' | 'document' | 'publishedAt'>;
type Known = Readonly<{ version: number; history: PriceHistory }>;

/**
 * What games have asked for in the last months, where they tell their players. It is built from the documents of the versions, one after
 * the other and in slices; a new version only adds to what is known. Other games wait for none of this.
 */
export function createPriceHistories(pool: Pool, work: SliceQueue) {
  const known = new Map<number, Known>();

  /** Null for a game that tells nobody. */
  return async (gameId: number, current: CurrentVersion): Promise<LowestPriceBefore | null> => {
    const { lowestPriceCountries = [] } = current.document.pricing ?? {};
    if (lowestPriceCountries.length === 0) {
      known.delete(gameId);
      return null;
    }
    const versions = await listBefore(pool, gameId, current);
    let { history, from } = beginOf(known.get(gameId), versions);
    for (const version of versions.slice(from)) {
      const { document, publishedAt } = await requireConfigVersion(pool, gameId, version);
      history = await work.run(gameId, history.withSteps({ document, publishedAt }));
    }
    history = await work.run(gameId, history.withSteps(current));
    known.set(gameId, { version: current.version, history });
    return history.lowestBefore;
  };
}

/** The versions before one, the oldest first, with the one that was in force when the history begins. */
async function listBefore(
  pool: Pool,
  gameId: number,
  { version, publishedAt }: CurrentVersion,
): Promise<number[]> {
  const sinceMs = publishedAt - HISTORY_DAYS * DAY_MS;
  const span = { sinceMs, beforeMs: publishedAt + 1, limit: MAX_VERSIONS };
  const found = await listVersionsPublished(pool, gameId, span);
  const first = await findConfigVersionAt(pool, gameId, sinceMs);
  const numbers = [first.version, ...found.map((each) => each.version)];
  return [...new Set(numbers)].filter((each) => each > 0 && each < version).sort((a, b) => a - b);
}

function beginOf(
  known: Known | undefined,
  versions: readonly number[],
): { history: PriceHistory; from: number } {
  const index = known === undefined ? -1 : versions.indexOf(known.version);
  if (known === undefined || index < 0) return { history: new PriceHistory(), from: 0 };
  return { history: known.history, from: index + 1 };
}
