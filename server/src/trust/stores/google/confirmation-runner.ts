import { createPoller, type Poller } from '../../../platform/lib/poller.js';
import { confirmPurchases, type GoogleWork } from './confirm-purchases.js';

/** How soon a stored purchase is acknowledged. */
const POLL_MS = 5_000;

/** Asks Google about purchases in the operations process. */
export function createConfirmationRunner(work: GoogleWork): Poller {
  return createPoller({
    everyMs: POLL_MS,
    work: (signal) => confirmPurchases(work, signal),
    onError: (error) =>
      work.logger.warn(
        { err: error },
        'purchases could not be confirmed; they are tried again in a few seconds',
      ),
  });
}
