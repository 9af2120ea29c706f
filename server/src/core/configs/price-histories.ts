import type { LowestPriceBefore } from '../../decide/compile/price-basis.js';
import { HISTORY_DAYS, PriceHistory } from '../../decide/price-history/price-history.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import type { SliceQueue } from '../../platform/lib/slice-queue.js';
import {
  type ConfigVersion,
  findConfigVersionAt,
  listVersionsPublished,
  requireConfigVersion,
} from './config-queries.js';

/** A game that publishes more often has a shorter history. */
const MAX_VERSIONS = 100;

type CurrentVersion = Pick<ConfigVersion, 'version' | 'document' | 'publishedAt'>;
/** What a game has asked for before; null for one that tells nobody. */
export type LowestPrices = (gameId: number, current: CurrentVersion) => Promise<LowestPriceBefore | null>;

type Known = Readonly<{ version: number; history: PriceHistory }>;

/**
 * What games have asked for in the last months, where they tell their players. It is built from the documents of the versions, one after
 * the other and in slices; a new version only adds to what is known. Other games wait for none of this.
 */
export function createPriceHistories(
  pool: Pool,
  work: SliceQueue,
  maxVersions: number = MAX_VERSIONS,
): LowestPrices {
  const known = new Map<number, Known>();

  return async (gameId, current) => {
    const { lowestPriceCountries = [] } = current.document.pricing ?? {};
    if (lowestPriceCountries.length === 0) {
      known.delete(gameId);
      return null;
    }
    const { versions, beginsAt } = await listBefore(pool, gameId, current, maxVersions);
    let { history, from } = beginOf(known.get(gameId), versions);
    for (const version of versions.slice(from)) {
      const { document, publishedAt } = await requireConfigVersion(pool, gameId, version);
      history = await work.run(gameId, history.withSteps({ document, publishedAt }, beginsAt));
    }
    history = await work.run(gameId, history.withSteps(current, beginsAt));
    known.set(gameId, { version: current.version, history });
    return history.lowestBefore;
  };
}

/**
 * The versions before one, the oldest first, with the one that was in force when the history begins. If there are too many, the history
 * begins with the oldest of those that count: what was in force between them and the first is not known. The beginning follows from
 * the versions alone, so that a node that has just started knows as much as one that has seen all of them.
 */
async function listBefore(
  pool: Pool,
  gameId: number,
  { version, publishedAt }: CurrentVersion,
  limit: number,
): Promise<{ versions: number[]; beginsAt: number }> {
  const sinceMs = publishedAt - HISTORY_DAYS * DAY_MS;
  const span = { sinceMs, beforeMs: publishedAt + 1, limit };
  const found = await listVersionsPublished(pool, gameId, span);
  const isCut = found.length >= limit;
  const first = isCut ? [] : [(await findConfigVersionAt(pool, gameId, sinceMs)).version];
  const numbers = [...first, ...found.map((each) => each.version)];
  return {
    versions: [...new Set(numbers)].filter((each) => each > 0 && each < version).sort((a, b) => a - b),
    beginsAt: (isCut ? found.at(-1)?.publishedAt : undefined) ?? sinceMs,
  };
}

function beginOf(
  known: Known | undefined,
  versions: readonly number[],
): { history: PriceHistory; from: number } {
  const index = known === undefined ? -1 : versions.indexOf(known.version);
  if (known === undefined || index < 0) return { history: new PriceHistory(), from: 0 };
  return { history: known.history, from: index + 1 };
}
