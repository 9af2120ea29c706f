/**
 * All constants of this room, each with what it was measured or chosen by. The measurements are of two API workers on two
 * cores, ten times the capacity in batches of 50 (`npm run bench -- --only overload:`).
 */

/** The admission of batches, by weight, which is bytes. Batches that wait are bytes; those that run have been decoded. */
export const BATCHES = {
  /**
   * Two groups in the database and a third that gathers. Decoded, 500 events are a few thousand objects, which the garbage
   * collector copies for as long as they are there: 20 to 30% less than with 1 MB.
   */
  capacity: 655_360,
  /** Two small groups: with less, one waits for the other, and a slow worker becomes even slower. */
  minCapacity: 262_144,
  /** A bound on memory only: at the usual rates, the time to wait is reached far sooner. */
  maxWaiting: 12_582_912,
  /** More than a client sends at once. */
  maxRequestsPerKey: 16,
  /** A group takes 20 to 150 ms. When none has ended for longer, those that run wait for something else, such as a lock. */
  stallTimeoutMs: 250,
  /** 2 MB a second: what a worker on a slow core stores. Measured within a quarter of a second of load. */
  initialRatePerMs: 2_048,
};

export const SHARES = {
  /**
   * Of the capacity, and of what may wait, for one key. Others' p99 beside a flood: 159 ms; 644 before
   * this bound and the smaller capacity.
   */
  perKey: 0.25,
  /**
   * Factor of the capacity that may be stalled. Beyond it nothing begins until something ends: the whole database stands
   * still then, not one lock.
   */
  stalled: 2,
};

export const WEIGHTS = {
  /** The least weight of a batch: the headers, the token and the session cost something, too. */
  min: 1_024,
  /** Events are repetitive: this is how many times larger they usually are when unpacked. */
  unpackFactor: 8,
};

/** What a batch waits outside of the queue. */
export const OVERHEAD = {
  /** A batch waits for the event loop twice: until it is read, and until its result is. */
  loopTurns: 2,
  /** Share of the newest batch in the average time from the socket to the queue: a slow one says little about the next. */
  arrivalSmoothing: 0.05,
  /** How often the lag of the event loop is measured. Under full load a turn takes 20 to 100 ms. */
  lagBeatMs: 50,
};

/** The measurement of the rate at which work is finished. */
export const RATE = {
  /** One measurement: long enough for several groups of a busy worker, short enough to notice a slow database soon. */
  windowMs: 250,
  /** Share of the newest measurement. Two or three of them are enough to forget an old rate. */
  smoothing: 0.5,
  /** Groups finish all at once, so a single measurement may be far too high. */
  maxGrowth: 3,
};

/** Reads, logins and refreshes, by number: they begin at once and have no queue. */
export const IN_FLIGHT = {
  /** Fewer requests in flight are no overload, however long they take. */
  minInFlight: 64,
  /** Requests per millisecond of a worker on a slow core. Measured as soon as many requests are in flight. */
  initialRatePerMs: 1,
};

/** `Retry-After`, for each worker: all that it refuses comes back to it. A refusal takes 0.1 to 0.2 ms of a busy worker. */
export const RETRY_AFTER = {
  /** Usual mean of what clients are told: 1, 2 or 3 seconds. */
  minMeanSeconds: 2,
  /** At most 9 seconds: a player who waits for longer has left. The pace takes a twentieth of a worker. */
  requests: { perSecond: 400, maxMeanSeconds: 6 },
  /**
   * At most 30 seconds: no player waits for a batch of events, and the client keeps it until then. 8,000 clients that wait as
   * told: 0.80 to 0.82 of the capacity is stored; with the pace of other requests 0.71 to 0.73.
   */
  batches: { perSecond: 100, maxMeanSeconds: 20 },
};

/** Shorter pauses between refusals belong to the same overload, for the log. */
export const QUIET_MS = 5_000;
