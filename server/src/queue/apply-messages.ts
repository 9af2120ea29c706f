import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../db/pool.js';
import { applyEvents } from '../features/events/apply-events.js';
import { type CheckedEvent, type EventRecord, recordsOfPlayer } from '../features/events/event-record.js';
import { failedEvent } from '../features/failed-events/failed-event.js';
import type { Inbox } from '../features/failed-events/inbox.js';
import type { FailedBatch } from '../features/failed-events/inbox-queries.js';
import type { Metrics } from '../http/metrics.js';
import { type Coalescer, coalesce } from '../lib/coalesce.js';
import { decodeMessage, type QueuedEvents } from './message.js';
import { findPlayerKeys } from './player-queries.js';
import type { QueueMetrics } from './queue-metrics.js';
import { insertUnattributed, type Unattributed } from './unattributed-queries.js';

/** As in the direct intake: groups of 1,000 events, of about a kilobyte each. */
const MAX_GROUP_WEIGHT = 1_000;
const BYTES_PER_WEIGHT = 1_024;
/** Two groups a process keep PostgreSQL busy while the next ones gather. */
const LANES = 2;
/** A message that PostgreSQL cannot finish in time, alone and this often, is put aside rather than tried for ever. */
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
   * Resolves when everything in the message is durable: applied, or in the failed-events inbox. Rejects when it could
   * not be tried, for want of a database: then it has to come again.
   */
  apply(message: IncomingMessage): Promise<void>;
};

type Batch = QueuedEvents & { bytes: number; deliveries: number };
type Outcome = 'applied' | 'partly set aside' | 'player unknown';

type Options = {
  pool: Pool;
  inbox: Pick<Inbox, 'submit'>;
  metrics: Metrics;
  queueMetrics: QueueMetrics;
  logger: Logger;
};

/**
 * Applies messages in groups. A partition keeps to one lane, and a lane runs one group at a time: two batches of one
 * player never run at once. A group that PostgreSQL refuses is halved until the guilty message stands alone, that
 * message until the guilty event does: that event goes to the inbox, and its neighbours are applied.
 */
export function createMessageApplier(options: Options): MessageApplier {
  const { pool, inbox, metrics, queueMetrics, logger } = options;

  const lanes: Coalescer<Batch, Outcome>[] = Array.from({ length: LANES }, () =>
    coalesce<Batch, Outcome>({
      maxItems: MAX_GROUP_WEIGHT,
      maxInFlight: 1,
      // Bounded by what the partitions' pumps pull.
      maxWaiting: Number.MAX_SAFE_INTEGER,
      weigh: ({ events, bytes }) => Math.max(events.length, Math.ceil(bytes / BYTES_PER_WEIGHT)),
      splitOn(error) {
        if (!isItsFault(error) && !isTooSlow(error)) return false;
        logger.warn({ err: error }, 'a group of queued events was refused; trying it in halves');
        return true;
      },
      run: applyGroup,
    }),
  );
  // In the order of arrival, not by number: which numbers a process gets is not random.
  const laneOfPartition = new Map<number, Coalescer<Batch, Outcome>>();
  const laneOf = (partition: number): Coalescer<Batch, Outcome> => {
    const known =
      laneOfPartition.get(partition) ?? (lanes[laneOfPartition.size % LANES] as Coalescer<Batch, Outcome>);
    laneOfPartition.set(partition, known);
    return known;
  };

  async function applyGroup(batches: Batch[]): Promise<Outcome[]> {
    const players = await findPlayerKeys(
      pool,
      batches.map(({ userId }) => userId),
    );
    const records = batches.map(({ userId, events }) => {
      const player = players.get(userId);
      return player === undefined ? undefined : recordsOfPlayer(events, player);
    });
    const [only] = batches;
    try {
      await applyRecords(records.flatMap((known) => known ?? []));
    } catch (error) {
      const isAlone = only !== undefined && batches.length === 1;
      const isHopeless = isTooSlow(error) && (only?.deliveries ?? 0) >= MAX_TIMEOUTS;
      if (!isAlone || !(isItsFault(error) || isHopeless)) throw error;
      await applyPiecemeal(only, records[0] ?? []);
      return ['partly set aside'];
    }
    return records.map((known) => (known === undefined ? 'player unknown' : 'applied'));
  }

  async function applyRecords(records: readonly EventRecord[]): Promise<void> {
    const stopTimer = metrics.applySeconds.startTimer();
    const fresh = await applyEvents(pool, records);
    stopTimer();
    metrics.applyEvents.observe(fresh.length);
    const news = fresh.filter(Boolean).length;
    queueMetrics.appliedEvents.inc({ outcome: 'new' }, news);
    queueMetrics.appliedEvents.inc({ outcome: 'duplicate' }, fresh.length - news);
  }

  async function applyPiecemeal(batch: Batch, records: readonly EventRecord[]): Promise<void> {
    const refused = new Map<CheckedEvent, unknown>();
    const attempt = async (some: readonly EventRecord[]): Promise<void> => {
      try {
        await applyRecords(some);
      } catch (error) {
        if (!isItsFault(error) && !isTooSlow(error)) throw error;
        const half = some.length >> 1;
        if (half === 0) {
          for (const record of some) refused.set(record, error);
          return;
        }
        await attempt(some.slice(0, half));
        await attempt(some.slice(half));
      }
    };
    await attempt(records);
    await setAside(batch, records, refused);
  }

  async function setAside(
    { userId }: Batch,
    records: readonly EventRecord[],
    refused: ReadonlyMap<CheckedEvent, unknown>,
  ): Promise<void> {
    const twins = new Map<string, number>();
    const failures = records.flatMap((record) => {
      const raw = rawEvent(record);
      const ordinal = twins.get(raw) ?? 0;
      twins.set(raw, ordinal + 1);
      const error = refused.get(record);
      if (error === undefined) return [];
      const message = `PostgreSQL refused it: ${(error as Error).message}.`;
      return [
        failedEvent({ code: 'apply_failed', message, path: '', ordinal, eventType: record.eventType, raw }),
      ];
    });
    const receivedAtMs = records[0]?.receivedAtMs ?? 0;
    if (failures.length > 0) await putIntoInbox({ userId, receivedAtMs, clientBuild: null, failures });
  }

  async function putIntoInbox(batch: FailedBatch): Promise<void> {
    try {
      await inbox.submit(batch);
    } catch (error) {
      if (!isItsFault(error)) throw error;
      // Not even the inbox takes them as they are: then as plain text.
      const message = `The inbox refused it (${(error as Error).message}). From player ${batch.userId}.`;
      await setAsideUnattributed(
        batch.failures.map(({ raw }) => ({ ...unreadable(Buffer.from(raw), batch.receivedAtMs), message })),
      );
    }
  }

  async function setAsideUnattributed(failures: readonly Unattributed[]): Promise<void> {
    logger.error({ code: failures[0]?.code, events: failures.length }, 'the stream held events of nobody');
    await insertUnattributed(pool, failures);
  }

  return {
    async apply({ partition, body, receivedAtMs, deliveries }) {
      const message = decodeMessage(body);
      let outcome: Outcome = 'partly set aside';
      if (message === undefined) {
        await setAsideUnattributed([unreadable(body, receivedAtMs)]);
      } else if (message.kind === 'failures') {
        await putIntoInbox(message);
        outcome = 'applied';
      } else {
        outcome = await laneOf(partition).submit({ ...message, bytes: body.length, deliveries });
        if (outcome === 'player unknown') {
          await setAsideUnattributed(message.events.map((event) => ownerless(message, event)));
        }
      }
      queueMetrics.applied.inc({ outcome: outcome === 'applied' ? 'applied' : 'set_aside' });
    },
  };
}

// Data, constraints, limits of the program, exceptions raised by our functions, and what PostgreSQL calls its own
// mistakes. Any other refusal (no such table, no permission, wrong password) is the installation's: every message would
// meet with it, and waits until it is mended.
const BLAMED_STATES = /^(?:21|22|23|54|P0|XX)/;
const STATE = /^[0-9A-Z]{5}$/;

/** Whether the same events would be refused again. */
export function isItsFault(error: unknown): boolean {
  if (isUnavailable(error)) return false;
  const code = (error as { code?: unknown } | null)?.code;
  // Without a state it is no answer of PostgreSQL's, but a mistake of ours that these events provoke.
  return typeof code === 'string' && STATE.test(code) ? BLAMED_STATES.test(code) : true;
}

/** Cancelled by PostgreSQL itself, which is therefore there: a smaller group may do. */
function isTooSlow(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '57014';
}

function ownerless({ userId }: QueuedEvents, event: CheckedEvent): Unattributed {
  const { eventType, receivedAtMs } = event;
  return {
    code: 'player_unknown',
    message: `There is no player ${userId}.`,
    eventType,
    raw: rawEvent(event),
    receivedAtMs,
  };
}

function unreadable(body: Uint8Array, receivedAtMs: number): Unattributed {
  return {
    code: 'message_invalid',
    message: 'This is not a message of a version that this consumer reads.',
    eventType: null,
    // Whatever was sent, as text that PostgreSQL takes.
    raw: new TextDecoder().decode(body).replaceAll('\0', '\ufffd'),
    receivedAtMs,
  };
}

/** The event as a client would send it: that is what can be corrected and replayed. */
function rawEvent({
  eventType,
  timestampText,
  occurredAt,
  eventId,
  payloadJson,
  metadataJson,
}: CheckedEvent): string {
  const members = [
    `"eventType":${JSON.stringify(eventType)}`,
    `"timestamp":${JSON.stringify(timestampText ?? occurredAt)}`,
    ...(eventId === null ? [] : [`"eventId":${JSON.stringify(eventId)}`]),
    `"payload":${payloadJson}`,
    `"metadata":${metadataJson}`,
  ];
  return `{${members.join(',')}}`;
}
