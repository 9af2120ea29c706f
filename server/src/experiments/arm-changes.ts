import { findConfigVersion } from '../core/configs/config-queries.js';
import { experimentReaders } from '../decide/compile/experiment-readers.js';
import type { ConfigDocument } from '../decide/document/document.js';
import type { Pool } from '../platform/db/pool.js';
import { canonicalJson } from '../platform/lib/canonical-json.js';
import { utcDay } from '../platform/lib/day.js';
import type { ArmChanges } from './run-queries.js';

type Published = Readonly<{ version: number; publishedAt: number; document: ConfigDocument }>;

type Readers = ReturnType<typeof experimentReaders>;

/** A published version, and what the arms of its experiments do. Compiling a large document takes a while, so it is done once, when it is asked for. */
export type ReadVersion = Published & Readonly<{ readers(): Readers }>;

export function readVersion(published: Published): ReadVersion {
  let readers: Readers | undefined;
  return {
    ...published,
    readers() {
      readers ??= experimentReaders(published.document);
      return readers;
    },
  };
}

/** What a publication changed of what the arms of an experiment give: entries that read it, also through segments and flags. */
export function armChangesOf(experimentId: string, before: ReadVersion, after: ReadVersion): ArmChanges {
  const [old, next] = [before, after].map(({ readers }) => readers().get(experimentId));
  const names = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])].sort();
  const entries = names.filter((name) => written(old?.get(name)) !== written(next?.get(name)));
  if (entries.length === 0) return [];
  return [{ version: after.version, publishedOn: utcDay(after.publishedAt), entries }];
}

function written(entry: unknown): string {
  return entry === undefined ? '' : canonicalJson(entry);
}

/**
 * Reads each version of a game once for all of its experiments. Games come one after the other, so the versions of the
 * last one are enough.
 */
export class PublishedVersions {
  readonly #pool: Pool;
  #gameId = 0;
  #versions = new Map<number, Promise<ReadVersion | undefined>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Undefined if there is no such version yet. */
  find(gameId: number, version: number): Promise<ReadVersion | undefined> {
    if (gameId !== this.#gameId) {
      this.#gameId = gameId;
      this.#versions = new Map();
    }
    const known = this.#versions.get(version);
    if (known !== undefined) return known;
    const found = findConfigVersion(this.#pool, gameId, version).then((row) => row && readVersion(row));
    this.#versions.set(version, found);
    return found;
  }
}
