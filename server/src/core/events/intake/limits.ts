/** What one request to POST /v1/events may hold; served at GET /v1/limits. */
export const EVENT_LIMITS = Object.freeze({
  maxEvents: 500,
  maxBodyBytes: 1_048_576,
  maxEventBytes: 32_768,
  maxDepth: 16,
  maxEventTypeLength: 128,
  maxEventIdLength: 128,
  maxInstallIdLength: 64,
  /** Gaps that an installation may have at a time: a client loses a few batches, not hundreds. */
  maxSequenceGaps: 256,
  /** Installations of one player that number their events: no real player reinstalls a thousand times. */
  maxInstalls: 1_000,
});
