import type { Logger } from 'pino';
import { type FailureReason, failedEvent } from '../../core/events/failed/failed-event.js';
import type { Inbox } from '../../core/events/failed/inbox.js';
import type { FailedBatch } from '../../core/events/failed/inbox-queries.js';
import type { CheckedEvent } from '../../core/events/intake/event-record.js';
import { isUnavailable, type Pool } from '../../platform/db/pool.js';
import { OverloadedError } from '../../platform/lib/overloaded-error.js';
import type { QueuedEvents } from './message.js';
import { insertUnattributed, type Unattributed } from './unattributed-queries.js';

export type RefusalReason = Pick<FailureReason, 'code' | 'message'>;

/** Keeps messages, or the events of a message, that can never be applied. Each function resolves once they are durable. */
export type DeadLetters = {
  /** Events that the API has rejected. */
  failures(batch: FailedBatch): Promise<void>;
  /** The events of a message that could not be applied, with the reasons. */
  refused(message: QueuedEvents, reasons: ReadonlyMap<CheckedEvent, RefusalReason>): Promise<void>;
  /** All events of a message whose player does not exist. */
  unknownPlayer(message: QueuedEvents): Promise<void>;
  /** A message that this consumer cannot decode. */
  unreadable(body: Uint8Array, receivedAtMs: number): Promise<void>;
};

type Options = { pool: Pool; inbox: Pick<Inbox, 'submit'>; logger: Logger };

export function createDeadLetters({ pool, inbox, logger }: Options): DeadLetters {
  const keepUnattributed = async (failures: readonly Unattributed[]): Promise<void> => {
    await insertUnattributed(pool, failures);
    logger.error(
      { code: failures[0]?.code, events: failures.length },
      'moved queued events to dead letters: their player does not exist, or the message cannot be read (see code). They are kept in failed_events with game_id 0',
    );
  };

  const failures = async (batch: FailedBatch): Promise<void> => {
    try {
      await inbox.submit(batch);
    } catch (error) {
      if (!isPermanentError(error)) throw error;
      // The inbox cannot store them as they are: keep them as plain text.
      const message = `The inbox refused it (${(error as Error).message}). From player ${batch.userId}.`;
      await keepUnattributed(
        batch.failures.map(({ raw }) => unattributed('message_invalid', message, raw, batch.receivedAtMs)),
      );
    }
  };

  return {
    failures,
    async refused({ userId, events, source }, reasons) {
      const seen = new Map<string, number>();
      const refused = events.flatMap((event) => {
        const raw = rawEvent(event);
        const ordinal = seen.get(raw) ?? 0;
        seen.set(raw, ordinal + 1);
        const reason = reasons.get(event);
        if (reason === undefined) return [];
        const { eventType } = event;
        return [failedEvent({ ...reason, path: '', ordinal, eventType, event: JSON.parse(raw), raw })];
      });
      const receivedAtMs = events[0]?.receivedAtMs ?? 0;
      const { clientBuild } = source;
      // The events of a message are of one request.
      const isServer = events.some(({ transaction: fact }) => fact?.store === 'server');
      if (refused.length > 0)
        await failures({ userId, receivedAtMs, clientBuild, isServer, failures: refused });
    },
    unknownPlayer({ userId, events }) {
      const message = `There is no player ${userId}.`;
      return keepUnattributed(
        events.map((event) => ({
          ...unattributed('player_unknown', message, rawEvent(event), event.receivedAtMs),
          eventType: event.eventType,
        })),
      );
    },
    unreadable(body, receivedAtMs) {
      const message = 'This is not a message of a version that this consumer reads.';
      const raw = new TextDecoder().decode(body);
      return keepUnattributed([unattributed('message_invalid', message, raw, receivedAtMs)]);
    },
  };
}

// Data, constraints, program limits, exceptions of our own functions, and internal errors of PostgreSQL. Any other error (no
// such table, no permission, wrong password) is a fault of the installation that every message would meet: messages wait until
// an operator has corrected it.
const BLAMED_STATES = /^(?:21|22|23|54|P0|XX)/;
const STATE = /^[0-9A-Z]{5}$/;

/** Whether applying the same events again would fail again, although the database is available. */
export function isPermanentError(error: unknown): boolean {
  if (isUnavailable(error) || error instanceof OverloadedError) return false;
  const code = (error as { code?: unknown } | null)?.code;
  // An error without an SQL state does not come from PostgreSQL: it is a bug of ours that these events provoke.
  return typeof code === 'string' && STATE.test(code) ? BLAMED_STATES.test(code) : true;
}

/** Keeps the input as text that PostgreSQL can store, whatever it was. */
function unattributed(
  code: Unattributed['code'],
  message: string,
  raw: string,
  receivedAtMs: number,
): Unattributed {
  const storable = raw.toWellFormed().replaceAll('\0', '\ufffd');
  return { code, message, eventType: null, raw: storable, receivedAtMs };
}

/** The event as a client would send it, so that an operator can correct and replay it. */
function rawEvent(event: CheckedEvent): string {
  const members = [
    `"eventType":${JSON.stringify(event.eventType)}`,
    `"timestamp":${JSON.stringify(event.timestampText ?? event.occurredAt)}`,
    ...(event.sequence === null ? [] : [`"seq":${event.sequence}`]),
    ...(event.eventId === null ? [] : [`"eventId":${JSON.stringify(event.eventId)}`]),
    `"payload":${event.payloadJson}`,
    `"metadata":${event.metadataJson}`,
  ];
  return `{${members.join(',')}}`;
}
