import { findConfigVersionAt } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { type FoundModels, findModelsAt } from '../../core/predictions/models-at.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { type Comparison, compareDocuments } from '../dry-runs/unchanged-parts.js';

/** A day of the past, with what was in force when it began. */
export type ExaminedDay = Comparison &
  Readonly<{
    day: string;
    /** Its first millisecond. */
    atMs: number;
    version: number;
    before: CompiledDocument;
    /** The own attributes of `before`. */
    attributes: readonly OwnDefinition[];
    models: ModelsInForce;
  }>;

/** The whole days before an instant, the oldest first. */
export function daysBefore(nowMs: number, count: number): number[] {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return Array.from({ length: count }, (_, index) => today - (count - index) * DAY_MS);
}

export function compileForRun(gameId: number, document: ConfigDocument): Promise<CompiledDocument> {
  return documentWork.run(gameId, compilationSteps(document, { version: 0, publishedAt: 0 }));
}

/** Documents and models that were in force on several days are in memory once. */
export async function findExaminedDays(
  pool: Pool,
  gameId: number,
  after: CompiledDocument,
  starts: readonly number[],
): Promise<ExaminedDay[]> {
  const compared = new Map<number, Comparison & Pick<ExaminedDay, 'before' | 'attributes'>>();
  const days: ExaminedDay[] = [];
  let found: FoundModels | undefined;
  for (const atMs of starts) {
    const { version, document } = await findConfigVersionAt(pool, gameId, atMs);
    let comparison = compared.get(version);
    if (comparison === undefined) {
      const before = await compileForRun(gameId, document);
      comparison = { before, attributes: document.attributes ?? [], ...compareDocuments(before, after) };
      compared.set(version, comparison);
    }
    const next = await findModelsAt(pool, gameId, atMs);
    if (found === undefined || next.state?.since !== found.state?.since) found = next;
    days.push({ day: utcDay(atMs), atMs, version, models: found.models, ...comparison });
  }
  return days;
}
