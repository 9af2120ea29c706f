import { findConfigVersion, findConfigVersionAt } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import type { Publication } from '../../decide/compile/compile-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { DocumentProblem } from '../../decide/validate/document-problems.js';
import { validationSteps } from '../../decide/validate/validate-document.js';
import type { Pool } from '../../platform/db/pool.js';
import { findDraft } from '../configs/draft.js';
import { nextSegmentVersions } from '../configs/segment-versions.js';

/** The number of a version, the draft, a given document, or undefined for the version that was in force. */
export type WantedVersion = number | 'draft' | Readonly<{ document: unknown }> | undefined;

export type ExplainedDocument = Readonly<{ document: ConfigDocument; publication: Publication }>;

export type DocumentOutcome =
  | (Readonly<{ outcome: 'found' }> & ExplainedDocument)
  | Readonly<{ outcome: 'version_not_found' }>
  | Readonly<{ outcome: 'document_invalid'; problems: readonly DocumentProblem[] }>;

export async function findDocument(
  pool: Pool,
  gameId: number,
  wanted: WantedVersion,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): Promise<DocumentOutcome> {
  if (wanted === 'draft') {
    const { document } = await findDraft(pool, gameId);
    return asIfPublished(pool, gameId, document, { atMs, nowMs });
  }
  if (typeof wanted === 'object') {
    const validation = await documentWork.run(gameId, validationSteps(wanted.document));
    if (!validation.ok) return { outcome: 'document_invalid', problems: validation.problems };
    return asIfPublished(pool, gameId, validation.document, { atMs, nowMs });
  }
  const found =
    wanted === undefined
      ? await findConfigVersionAt(pool, gameId, atMs)
      : await findConfigVersion(pool, gameId, wanted);
  if (found === undefined) return { outcome: 'version_not_found' };
  return { outcome: 'found', document: found.document, publication: found };
}

/** Treats a document as if it were published at the instant that is explained. */
async function asIfPublished(
  pool: Pool,
  gameId: number,
  document: ConfigDocument,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): Promise<DocumentOutcome> {
  const inForce = await findConfigVersionAt(pool, gameId, nowMs);
  const segmentVersions = nextSegmentVersions(inForce, document);
  const publication = { version: inForce.version + 1, publishedAt: atMs, segmentVersions };
  return { outcome: 'found', document, publication };
}
