import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../../../platform/db/pool.js';
import { Batcher } from '../../../platform/lib/batcher.js';
import type { OrderHashes } from '../../../platform/security/erasure-hashes.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import { applyEvents, type EventOutcome } from '../apply/apply-events.js';
import type { RejectedSequences } from '../apply/sequence-claims.js';
import { type EventRecord, type PlayerKey, recordsOfPlayer } from './event-record.js';
import type { EventBatch, EventIntake, IntakeResult } from './intake.js';

/** Groups of 1,000 beat groups of 200 by a quarter; larger ones gain nothing more. */
const MAX_GROUP_WEIGHT = 1_000;
/** Two groups a worker keep PostgreSQL busy while the next ones gather. */
const GROUPS_IN_FLIGHT = 2;
/** Far longer than a group usually takes: one that waits for a lock must not hold up all others for as long. */
const FILL_FOR_MS = 100;
/** A group costs PostgreSQL 0.8 ms and 0.08 for each player: single events gain a fifth from fewer and larger ones. */
const LINGER = { ms: 8, after: 4 };
/** The admission queue lets fewer in, unless groups are stuck. Then a 503 at once is better than a late response. */
const MAX_WAITING_WEIGHT = 20_000;
/** A batch of large events weighs by its bytes: 20,000 waiting ones are 20 MB at most, whatever their size. */
const BYTES_PER_WEIGHT = 1_024;

type RecordBatch = {
  records: readonly EventRecord[];
  rejected: RejectedSequences | undefined;
  bytes: number;
};

type Options = {
  pool: Pool;
  /** Tell orders of erased players. */
  hashes: () => Promise<OrderHashes | undefined>;
  metrics: Metrics;
  logger: Logger;
};

/** Applies events to PostgreSQL before the response; requests that arrive together share a transaction. */
export function createDirectIntake({ pool, hashes, metrics, logger }: Options): EventIntake {
  const groups = new Batcher<RecordBatch, IntakeResult>({
    maxItems: MAX_GROUP_WEIGHT,
    maxInFlight: GROUPS_IN_FLIGHT,
    fillForMs: FILL_FOR_MS,
    linger: LINGER,
    maxWaiting: MAX_WAITING_WEIGHT,
    weigh: ({ records, bytes }) => Math.max(records.length, Math.ceil(bytes / BYTES_PER_WEIGHT)),
    // A group that PostgreSQL refuses is halved until the failing request is alone.
    splitOn(error) {
      if (isUnavailable(error)) return false;
      logger.warn(
        { err: error },
        'PostgreSQL refused a group of events; applying it in halves to find the event that fails',
      );
      return true;
    },
    async run(batches) {
      const stopTimer = metrics.applySeconds.startTimer();
      const outcomes = await applyEvents(
        pool,
        batches.flatMap((batch) => batch.records),
        batches.flatMap((batch) => batch.rejected ?? []),
        hashes,
      );
      stopTimer();
      metrics.applyEvents.observe(outcomes.length);
      return countPerBatch(batches, outcomes);
    },
  });
  return {
    submit(batch) {
      const { player, events, source, bytes } = batch;
      if (player === undefined)
        return Promise.reject(new Error('events cannot be applied without their player'));
      const records = recordsOfPlayer(events, player, source);
      return groups.submit({ records, rejected: rejectedOf(batch, player), bytes });
    },
    close: () => groups.idle(),
  };
}

function rejectedOf(
  { source: { installId }, rejectedSequences }: EventBatch,
  player: PlayerKey,
): RejectedSequences | undefined {
  if (installId === null || rejectedSequences.length === 0) return undefined;
  return { playerId: player.playerId, gameId: player.gameId, installId, sequences: rejectedSequences };
}

function countPerBatch(batches: readonly RecordBatch[], outcomes: readonly EventOutcome[]): IntakeResult[] {
  let start = 0;
  return batches.map(({ records }) => {
    const from = start;
    start += records.length;
    if (outcomes[from] === 'no_player') return { accepted: 0, duplicates: 0, isErased: true };
    const tooSparse: number[] = [];
    let accepted = 0;
    for (let at = from; at < start; at++) {
      if (outcomes[at] === 'new') accepted++;
      else if (outcomes[at] === 'too_sparse') tooSparse.push(at - from);
    }
    const duplicates = records.length - accepted - tooSparse.length;
    return tooSparse.length === 0 ? { accepted, duplicates } : { accepted, duplicates, tooSparse };
  });
}
