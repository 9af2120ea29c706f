import { findConfigVersion } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { DocumentProblem } from '../../decide/validate/document-problems.js';
import { validationSteps } from '../../decide/validate/validate-document.js';
import type { Pool } from '../../platform/db/pool.js';
import { findDraft } from '../configs/draft.js';

/** The document that might be published: the given document, a version, or, if neither is given, the draft. */
export type Candidate = Readonly<{ document?: unknown; version?: number | undefined }>;

export type CandidateOutcome =
  /** `revision`: of the draft, if the draft was asked for. */
  | Readonly<{ outcome: 'found'; document: ConfigDocument; revision: number | null }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'no_such_version' }>;

export async function findCandidate(
  pool: Pool,
  gameId: number,
  { document, version }: Candidate,
): Promise<CandidateOutcome> {
  let found = document;
  let revision: number | null = null;
  if (found === undefined && version !== undefined) {
    found = (await findConfigVersion(pool, gameId, version))?.document;
    if (found === undefined) return { outcome: 'no_such_version' };
  }
  if (found === undefined) {
    const draft = await findDraft(pool, gameId);
    ({ document: found, revision } = draft);
  }
  // Versions are checked, too: an older release of the service may have published a document that is not valid any more.
  const validation = await documentWork.run(gameId, validationSteps(found));
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  return { outcome: 'found', document: validation.document, revision };
}
