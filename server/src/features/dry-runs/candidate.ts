import type { Pool } from '../../db/pool.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { DocumentProblem } from '../../personalisation/validate/document-problems.js';
import { validateDocument } from '../../personalisation/validate/validate-document.js';
import { findConfigVersion } from '../game-configs/config-queries.js';
import { findDraft } from '../game-configs/draft.js';

/** The document that might be published: the given document, a version, or, if neither is given, the draft. */
export type Candidate = Readonly<{ document?: unknown; version?: number | undefined }>;

export type CandidateOutcome =
  | Readonly<{ outcome: 'found'; document: ConfigDocument }>
  | Readonly<{ outcome: 'invalid'; problems: readonly DocumentProblem[] }>
  | Readonly<{ outcome: 'no_such_version' }>;

export async function findCandidate(
  pool: Pool,
  gameId: number,
  { document, version }: Candidate,
): Promise<CandidateOutcome> {
  let found = document;
  if (found === undefined) {
    const source = version === undefined ? findDraft(pool, gameId) : findConfigVersion(pool, gameId, version);
    found = (await source)?.document;
    if (found === undefined) return { outcome: 'no_such_version' };
  }
  // Versions are checked, too: an older release of the service may have published a document that is not valid any more.
  const validation = validateDocument(found);
  if (!validation.ok) return { outcome: 'invalid', problems: validation.problems };
  return { outcome: 'found', document: validation.document };
}
