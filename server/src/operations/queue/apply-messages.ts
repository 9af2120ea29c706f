import type { Logger } from 'pino';
import { applyEvents, type EventOutcome } from '../../core/events/apply/apply-events.js';
import type { RejectedSequences } from '../../core/events/apply/sequence-claims.js';
import type { Inbox } from '../../core/events/failed/inbox.js';
import {
  type CheckedEvent,
  type EventRecord,
  type PlayerKey,
  recordsOfPlayer,
} from '../../core/events/intake/event-record.js';
import { REJECTIONS } from '../../core/events/intake/rejections.js';
import { isStatementTimeout } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { createErasedPlayers } from '../../trust/erasures/erased-players.js';
import { createDeadLetters, isPermanentError, type RefusalReason } from './dead-letters.js';
import { decodeMessage, type QueuedEvents } from './message.js';
import { findPlayerKeys } from './player-queries.js';
import type { QueueMetrics } from './queue-metrics.js';

/** As in the direct intake: groups of 1,000 events, of about a kilobyte each. */
const MAX_GROUP_WEIGHT = 1_000;
const BYTES_PER_WEIGHT = 1_024;
/** Two groups a process keep PostgreSQL busy while the next ones gather. */
const LANES = 2;
/**
 * A message that PostgreSQL cannot apply in time, alone and this often, goes to dead letters instead of being tried for ever.
 */
const MAX_TIMEOUTS = 10;

export type IncomingMessage = {
  partition: number;
  body: Uint8Array;
  receivedAtMs: number;
  /** 1 for the first time. */
  deliveries: number;
};

export type MessageApplier = {
  /**
   * Resolves when everything in the message is durable: applied, or in the failed-events inbox. Rejects when the database is
   * unavailable: then the message has to be delivered again.
   */
  apply(message: IncomingMessage): Promise<void>;
};

type Batch = QueuedEvents & { bytes: number; deliveries: number };
type Outcome = 'applied' | 'set_aside' | 'unknown_player' | 'erased';
type Lane = Batcher<Batch, Outcome>;

type Options = {
  pool: Pool;
  inbox: Pick<Inbox, 'submit'>;
  hashes: () => Promise<ErasureHashes | undefined>;
  metrics: Metrics;
  queueMetrics: QueueMetrics;
  logger: Logger;
};

/**
 * Applies messages in groups. A partition keeps to one lane, and a lane runs one group at a time: two batches of one player
 * never run at once. A group that PostgreSQL refuses is halved until the failing message is alone, and that message until the
 * failing event is alone. That event goes to the inbox, and the others are applied.
 */
export function createMessageApplier(options: Options): MessageApplier {
  const { pool, inbox, hashes, metrics, queueMetrics, logger } = options;
  const erasedPlayers = createErasedPlayers(pool, hashes);
  const deadLetters = createDeadLetters({ pool, inbox, logger });

  const openLane = (): Lane =>
    new Batcher<Batch, Outcome>({
      maxItems: MAX_GROUP_WEIGHT,
      maxInFlight: 1,
      // Bounded by what the partitions' workers pull.
      maxWaiting: Number.MAX_SAFE_INTEGER,
      weigh: ({ events, bytes }) => Math.max(events.length, Math.ceil(bytes / BYTES_PER_WEIGHT)),
      splitOn(error) {
        if (!isPermanentError(error) && !isTooSlow(error)) return false;
        logger.warn(
          { err: error },
          'PostgreSQL refused a group of queued events; applying it in halves to find the event that fails',
        );
        return true;
      },
      run: applyGroup,
    });
  const lanes = Array.from({ length: LANES }, openLane);
  const laneOfPartition = new Map<number, Lane>();
  const laneOf = (partition: number): Lane => {
    // In the order of arrival, not by partition number: the numbers that a process gets are not random.
    const lane = laneOfPartition.get(partition) ?? lanes[laneOfPartition.size % LANES] ?? openLane();
    laneOfPartition.set(partition, lane);
    return lane;
  };

  async function applyGroup(batches: Batch[]): Promise<Outcome[]> {
    const players = await findPlayerKeys(
      pool,
      batches.map(({ userId }) => userId),
    );
    const records = batches.map(({ userId, events, source }) => {
      const player = players.get(userId);
      return player === undefined ? undefined : recordsOfPlayer(events, player, source);
    });
    const rejected = batches.flatMap((batch) => rejectedOf(batch, players.get(batch.userId)));
    try {
      const outcomes = await applyRecords(
        records.flatMap((known) => known ?? []),
        rejected,
      );
      await keepTooSparse(
        batches.filter((_, n) => records[n] !== undefined),
        outcomes,
      );
    } catch (error) {
      const [only, ...others] = batches;
      if (only === undefined || others.length > 0 || !isHopeless(error, only)) throw error;
      await deadLetters.refused(only, await applyPiecemeal(only, records[0] ?? []));
      return ['set_aside'];
    }
    return records.map((known) => (known === undefined ? 'unknown_player' : 'applied'));
  }

  async function applyRecords(
    records: readonly EventRecord[],
    rejected: readonly RejectedSequences[],
  ): Promise<EventOutcome[]> {
    const stopTimer = metrics.applySeconds.startTimer();
    const outcomes = await applyEvents(pool, records, rejected, hashes);
    stopTimer();
    metrics.applyEvents.observe(outcomes.length);
    const news = outcomes.filter((outcome) => outcome === 'new').length;
    queueMetrics.appliedEvents.inc({ outcome: 'new' }, news);
    queueMetrics.appliedEvents.inc({ outcome: 'duplicate' }, outcomes.length - news);
    return outcomes;
  }

  /** The client got its response long ago, so events that exceed the limits on gaps go to the inbox. */
  async function keepTooSparse(batches: readonly Batch[], outcomes: readonly EventOutcome[]): Promise<void> {
    if (!outcomes.includes('too_sparse')) return;
    let start = 0;
    for (const batch of batches) {
      const from = start;
      start += batch.events.length;
      const reasons = new Map<CheckedEvent, RefusalReason>();
      for (const [n, event] of batch.events.entries()) {
        if (outcomes[from + n] === 'too_sparse') reasons.set(event, TOO_SPARSE);
      }
      await deadLetters.refused(batch, reasons);
    }
  }

  /** Applies what can be applied of a message, and returns the rest with the reasons. */
  async function applyPiecemeal(
    { events }: Batch,
    records: readonly EventRecord[],
  ): Promise<Map<CheckedEvent, RefusalReason>> {
    const refused = new Map<CheckedEvent, RefusalReason>();
    const attempt = async (from: number, to: number): Promise<void> => {
      try {
        await applyRecords(records.slice(from, to), []);
      } catch (error) {
        if (!isPermanentError(error) && !isTooSlow(error)) throw error;
        const middle = (from + to) >> 1;
        const event = events[from];
        if (middle === from && event !== undefined) {
          refused.set(event, {
            code: 'apply_failed',
            message: `PostgreSQL refused it: ${(error as Error).message}.`,
          });
          return;
        }
        await attempt(from, middle);
        await attempt(middle, to);
      }
    };
    await attempt(0, records.length);
    return refused;
  }

  const applyMessage = async (message: IncomingMessage): Promise<Outcome> => {
    const { partition, body, receivedAtMs, deliveries } = message;
    const decoded = decodeMessage(body);
    if (decoded === undefined) {
      await deadLetters.unreadable(body, receivedAtMs);
      return 'set_aside';
    }
    if (decoded.kind === 'failures') {
      await deadLetters.failures(decoded);
      return 'applied';
    }
    const outcome = await laneOf(partition).submit({ ...decoded, bytes: body.length, deliveries });
    if (outcome !== 'unknown_player') return outcome;
    // Nothing of an erased player is kept, not even as a dead letter.
    if (await erasedPlayers.has(decoded.userId)) return 'erased';
    await deadLetters.unknownPlayer(decoded);
    return 'set_aside';
  };

  return {
    async apply(message) {
      const outcome = await applyMessage(message);
      queueMetrics.applied.inc({ outcome });
    },
  };
}

const TOO_SPARSE: RefusalReason = {
  code: 'sequence_too_sparse',
  message: REJECTIONS.sequence_too_sparse,
};

function rejectedOf(
  { source: { installId }, rejectedSequences }: Batch,
  player: PlayerKey | undefined,
): RejectedSequences[] {
  if (player === undefined || installId === null || rejectedSequences.length === 0) return [];
  return [{ ...player, installId, sequences: rejectedSequences }];
}

/** PostgreSQL itself cancelled the statement, so it is available: a smaller group may succeed. */
const isTooSlow = isStatementTimeout;

function isHopeless(error: unknown, { deliveries }: Batch): boolean {
  return isPermanentError(error) || (isTooSlow(error) && deliveries >= MAX_TIMEOUTS);
}
