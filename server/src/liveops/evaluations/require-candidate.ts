import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { type Candidate, type CandidateOutcome, findCandidate } from './candidate.js';

/** The document that a request of the admin API asks about. */
export async function requireCandidate(
  pool: Pool,
  gameId: number,
  candidate: Candidate,
): Promise<Extract<CandidateOutcome, { outcome: 'found' }>> {
  if (candidate.document !== undefined && candidate.version !== undefined) {
    throw new ApiError('body_invalid', { message: 'Send either document or version, not both.' });
  }
  const found = await findCandidate(pool, gameId, candidate);
  switch (found.outcome) {
    case 'found':
      return found;
    case 'invalid':
      throw new ApiError('document_invalid', { details: { problems: found.problems } });
    case 'no_such_version':
      throw new ApiError('version_not_found');
  }
}
