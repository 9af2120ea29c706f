import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../db/pool.js';
import type { CheckedEvent } from '../features/events/event-record.js';
import { type FailureReason, failedEvent } from '../features/events/failed/failed-event.js';
import type { Inbox } from '../features/events/failed/inbox.js';
import type { FailedBatch } from '../features/events/failed/inbox-queries.js';
import { OverloadedError } from '../lib/overloaded-error.js';
import type { QueuedEvents } from './message.js';
import { insertUnattributed, type Unattributed } from './unattributed-queries.js';

export type RefusalReason = Pick<FailureReason, 'code' | 'message'>;

/** Where messages, or parts of them, go that cannot be applied. All resolve when it is durable. */
export type DeadLetters = {
  /** Bad events that the API has refused. */
  failures(batch: FailedBatch): Promise<void>;
  /** Those of a message's events that could not be applied, with the reasons. */
  refused(message: QueuedEvents, reasons: ReadonlyMap<CheckedEvent, RefusalReason>): Promise<void>;
  /** All events of a message whose player does not exist. */
  unknownPlayer(message: QueuedEvents): Promise<void>;
  /** A message that is none. */
  unreadable(body: Uint8Array, receivedAtMs: number): Promise<void>;
};

type Options = { pool: Pool; inbox: Pick<Inbox, 'submit'>; logger: Logger };

export function createDeadLetters({ pool, inbox, logger }: Options): DeadLetters {
  const keepUnattributed = async (failures: readonly Unattributed[]): Promise<void> => {
    logger.error({ code: failures[0]?.code, events: failures.length }, 'the stream held events of nobody');
    await insertUnattributed(pool, failures);
  };

  const failures = async (batch: FailedBatch): Promise<void> => {
    try {
      await inbox.submit(batch);
    } catch (error) {
      if (!isPermanentError(error)) throw error;
      // Not even the inbox takes them as they are: then as plain text.
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
        return [failedEvent({ ...reason, path: '', ordinal, eventType: event.eventType, raw })];
      });
      const receivedAtMs = events[0]?.receivedAtMs ?? 0;
      const { clientBuild } = source;
      if (refused.length > 0) await failures({ userId, receivedAtMs, clientBuild, failures: refused });
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

// Data, constraints, limits of the program, exceptions raised by our functions, and what PostgreSQL calls its own
// mistakes. Any other refusal (no such table, no permission, wrong password) is the installation's: every message would
// meet with it, and waits until it is mended.
const BLAMED_STATES = /^(?:21|22|23|54|P0|XX)/;
const STATE = /^[0-9A-Z]{5}$/;

/** Whether the same events would be refused again, and it is not for want of a database. */
export function isPermanentError(error: unknown): boolean {
  if (isUnavailable(error) || error instanceof OverloadedError) return false;
  const code = (error as { code?: unknown } | null)?.code;
  // Without a state it is no response of PostgreSQL's, but a mistake of ours that these events provoke.
  return typeof code === 'string' && STATE.test(code) ? BLAMED_STATES.test(code) : true;
}

/** Whatever it was, as text that PostgreSQL takes. */
function unattributed(
  code: Unattributed['code'],
  message: string,
  raw: string,
  receivedAtMs: number,
): Unattributed {
  const storable = raw.toWellFormed().replaceAll('\0', '\ufffd');
  return { code, message, eventType: null, raw: storable, receivedAtMs };
}

/** The event as a client would send it: that is what can be corrected and replayed. */
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
