import { isDeepStrictEqual } from 'node:util';
import { documentWork } from '../../../core/configs/document-work.js';
import type { SkuEntry } from '../../../decide/document/parts/catalogue.js';
import { type DocumentProblem, placeOf } from '../../../decide/validate/document-problems.js';
import { validationSteps } from '../../../decide/validate/validate-document.js';
import type { Actor } from '../../../platform/admin-api/audit-log.js';
import type { Pool } from '../../../platform/db/pool.js';
import { MAX_ROW_ERRORS, type RowError } from '../../../platform/lib/row-errors.js';
import { type DraftConflict, findDraft, saveDraft } from '../draft.js';
import type { CatalogueReading, CatalogueRow } from './catalogue-rows.js';

/**
 * `merge`: rows change or add SKUs, the others stay where and as they are. `replace`: the file is the whole catalogue, in
 * its order.
 */
export const IMPORT_MODES = ['merge', 'replace'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export type ImportCounts = Readonly<{ added: number; changed: number; removed: number; unchanged: number }>;

export type ImportOutcome =
  /** `isChange`: false where the draft was so already, and stays at its revision. */
  | Readonly<{ outcome: 'imported'; revision: number; counts: ImportCounts; isChange: boolean }>
  | Readonly<{ outcome: 'invalid'; errors: readonly RowError[] }>
  | DraftConflict;

export type CatalogueImport = Readonly<{
  gameId: number;
  reading: CatalogueReading;
  mode: ImportMode;
  /** The revision of the draft that the editor saw; by default whichever is there. */
  revision?: number;
}>;

/** Imports a file into the draft as one change, or reports everything that is wrong with it and changes nothing. */
export async function importCatalogue(
  pool: Pool,
  { gameId, reading, mode, revision }: CatalogueImport,
  actor: Actor,
): Promise<ImportOutcome> {
  const draft = await findDraft(pool, gameId);
  const existing = draft.document.catalogue;
  const { catalogue, counts, rowAt } = planImport(existing, completedRows(reading, existing), mode);
  const document = { ...draft.document, catalogue };
  const errorsOf = (problems: readonly DocumentProblem[]): ImportOutcome => ({
    outcome: 'invalid',
    errors: inOrder([
      ...reading.errors,
      ...problems.map((problem) => toRowError(problem, reading, rowAt)),
    ]).slice(0, MAX_ROW_ERRORS),
  });
  if (reading.errors.length > 0) {
    const validation = await documentWork.run(gameId, validationSteps(document));
    return errorsOf(validation.ok ? [] : validation.problems.filter((problem) => isOfFile(problem, rowAt)));
  }
  const saved = await saveDraft(pool, { gameId, revision: revision ?? draft.revision, document }, actor);
  switch (saved.outcome) {
    case 'saved':
      return { outcome: 'imported', revision: saved.draft.revision, counts, isChange: saved.isChange };
    case 'invalid':
      return errorsOf(saved.problems);
    case 'draft_conflict':
      return saved;
    case 'no_such_version':
      throw new Error(`the draft of game ${gameId} is based on a version that is not published`);
  }
}

function completedRows({ rows, complete }: CatalogueReading, existing: readonly SkuEntry[]): CatalogueRow[] {
  const formerById = new Map(existing.map((sku) => [sku.skuId, sku]));
  return rows.map(({ row, sku }) => {
    const former = formerById.get(sku?.skuId);
    return { row, sku: former === undefined ? sku : complete(sku, former) };
  });
}

export type ImportPlan = Readonly<{
  catalogue: readonly SkuEntry[];
  counts: ImportCounts;
  /** The row of the file that the SKU at a place of the new catalogue comes from. */
  rowAt: (index: number) => number | undefined;
}>;

export function planImport(
  existing: readonly SkuEntry[],
  rows: readonly CatalogueRow[],
  mode: ImportMode,
): ImportPlan {
  const before = new Map(existing.map((sku) => [sku.skuId, sku]));
  const places = new Map<SkuEntry['skuId'], CatalogueRow>();
  const nameless: CatalogueRow[] = [];
  for (const row of rows) {
    // JSON can hold anything; what has no id is refused by the validation, at its place.
    if (typeof row.sku?.skuId === 'string' && !places.has(row.sku.skuId)) places.set(row.sku.skuId, row);
    else nameless.push(row);
  }
  const fresh = mode === 'replace' ? rows : [...places.values()].filter(({ sku }) => !before.has(sku.skuId));
  const kept =
    mode === 'replace' ? [] : existing.map((sku) => places.get(sku.skuId) ?? { row: undefined, sku });
  const entries = [...kept, ...fresh, ...(mode === 'replace' ? [] : nameless)];

  const isSame = (sku: SkuEntry) => isDeepStrictEqual(before.get(sku.skuId), sku);
  const known = [...places.values()].filter(({ sku }) => before.has(sku.skuId));
  const changed = known.filter(({ sku }) => !isSame(sku)).length;
  const removed = mode === 'replace' ? existing.filter(({ skuId }) => !places.has(skuId)).length : 0;
  return {
    catalogue: entries.map(({ sku }) => sku),
    counts: {
      added: places.size - known.length,
      changed,
      removed,
      unchanged: existing.length - changed - removed,
    },
    rowAt: (index) => entries[index]?.row,
  };
}

/** From the first row to the last, each once: a price that counts as both prices of a SKU would be reported twice. */
function inOrder(errors: readonly RowError[]): RowError[] {
  const byText = new Map(errors.map((error) => [`${error.row} ${error.column} ${error.message}`, error]));
  return [...byText.values()].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
}

const IN_CATALOGUE = /^\/catalogue\/(\d+)(.*)$/s;

function isOfFile({ pointer }: DocumentProblem, rowAt: ImportPlan['rowAt']): boolean {
  const index = IN_CATALOGUE.exec(pointer)?.[1];
  return index !== undefined && rowAt(Number(index)) !== undefined;
}

/** A problem of the document as one of the file. Others, such as offers for SKUs that are gone, keep their place. */
function toRowError(
  problem: DocumentProblem,
  { columnOf }: CatalogueReading,
  rowAt: ImportPlan['rowAt'],
): RowError {
  const { pointer, message } = problem;
  const [, index, member = ''] = IN_CATALOGUE.exec(pointer) ?? [];
  const row = index === undefined ? undefined : rowAt(Number(index));
  if (row === undefined) return { row: null, column: null, message: `${placeOf(problem)}: ${message}` };
  return { row, column: columnOf(member) || null, message: detail(member) + message };
}

/** A column holds all assets: which one is meant is said with the message. */
function detail(member: string): string {
  const [, list, ...rest] = member.split('/');
  return list === 'assets' && rest.length > 0 ? `${rest.join('/')}: ` : '';
}
