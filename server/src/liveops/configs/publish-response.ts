import { ApiError, type ErrorCode } from '../../platform/errors.js';
import type { DocumentChange } from './document-difference.js';
import type { DraftConflict } from './draft.js';
import type { RollbackOutcome } from './publish.js';

/** Why a publication may be refused, whether of the draft or of an older version. */
export const PUBLICATION_ERRORS = [
  'version_conflict',
  'price_raise_unconfirmed',
  'values_in_use',
  'experiments_exposed',
  'nothing_to_publish',
  'document_invalid',
] as const satisfies readonly ErrorCode[];

/** What became of a publication, as a response of the admin API. */
export function publicationResponse(outcome: RollbackOutcome | DraftConflict): {
  version: number;
  difference: readonly DocumentChange[];
} {
  switch (outcome.outcome) {
    case 'published':
      return { version: outcome.version, difference: outcome.difference };
    case 'unchanged':
      throw new ApiError('nothing_to_publish', { details: { version: outcome.version } });
    case 'invalid':
      throw new ApiError('document_invalid', { details: { problems: outcome.problems } });
    case 'price_raise':
      throw new ApiError('price_raise_unconfirmed', { details: { raises: outcome.raises } });
    case 'values_in_use': {
      const { values, builds } = outcome;
      throw new ApiError('values_in_use', { details: { values, builds } });
    }
    case 'experiments_exposed':
      throw new ApiError('experiments_exposed', { details: { experiments: outcome.experiments } });
    case 'conflict': {
      const { version, author, difference } = outcome;
      throw new ApiError('version_conflict', { details: { version, author, difference } });
    }
    case 'unknown_base':
      throw new ApiError('body_invalid', { message: 'basedOn must be a published version.' });
    case 'draft_conflict':
      throw draftConflict(outcome);
    case 'no_such_version':
      throw new ApiError('version_not_found');
  }
}

export function draftConflict({ outcome: _, ...details }: DraftConflict): ApiError {
  return new ApiError('draft_conflict', { details });
}
