import { ApiError } from '../../../platform/errors.js';
import type { LimitHeaders, RateLimits } from '../../../platform/http/rate-limits.js';

/** How much of its player's limits per minute a batch uses. */
export type PlayerQuota = {
  /** Counts the bytes, which are known before the batch has its turn. Throws 429 when they are too many. */
  takeBytes(): LimitHeaders;
  /** Counts the events, which are known once the batch is decoded. Throws 429 when they are too many. */
  takeEvents(count: number): LimitHeaders;
  /** Gives back what a batch used that was refused and will be sent again. */
  giveBack(): void;
};

export function createPlayerQuota(
  { events, eventBytes }: Pick<RateLimits, 'events' | 'eventBytes'>,
  userId: string,
  bytes: number,
): PlayerQuota {
  let takenBytes = 0;
  let takenEvents = 0;
  return {
    takeBytes() {
      const headers = eventBytes.take(userId, bytes);
      takenBytes = bytes;
      return headers;
    },
    takeEvents(count) {
      const headers = events.take(userId, count);
      takenEvents = count;
      return headers;
    },
    giveBack() {
      eventBytes.giveBack(userId, takenBytes);
      events.giveBack(userId, takenEvents);
    },
  };
}

/** Whether a batch that failed like this will be sent again, unchanged, as the contract says: after a 429 and a 5xx. */
export function isSentAgain(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status >= 500;
}
