import { createFairSemaphore, type FairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import type { Admin } from '../../studio/admin-api/admin-tokens.js';

/**
 * A change of a document holds one of the few connections of the primary process while the document is worked on in slices. A studio
 * makes one change at a time, so that it cannot take all connections; its other changes wait, as they would for the lock on the game.
 */
export function createDocumentChanges(): FairSemaphore {
  return createFairSemaphore({
    maxConcurrent: 3,
    maxConcurrentPerKey: 1,
    maxWaitingPerKey: Number.POSITIVE_INFINITY,
  });
}

/** Runs the change when it is the turn of the studio. */
export async function changeInTurn<T>(
  { documentChanges }: Pick<AdminContext, 'documentChanges'>,
  { tenantId }: Pick<Admin, 'tenantId'>,
  change: () => Promise<T>,
): Promise<T> {
  const changing = documentChanges.of(tenantId).take(change);
  if (changing === undefined) throw new Error('changes of documents wait without a limit');
  return changing;
}
