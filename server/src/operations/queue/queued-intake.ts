import type { Inbox } from '../../core/events/failed/inbox.js';
import type { EventIntake } from '../../core/events/intake/intake.js';
import type { Publisher } from './publisher.js';

/** Publishes events to the stream, and resolves once the stream has them. Consumers apply them later. */
export function createQueuedIntake(publisher: Publisher): EventIntake {
  return {
    async submit({ userId, source, events, rejectedSequences }) {
      await publisher.publish({ kind: 'events', userId, source, events, rejectedSequences });
      return { accepted: events.length };
    },
    close: publisher.idle,
  };
}

/** Rejected events go through the stream, too: one of them must not hold up a batch while the database is unavailable. */
export function createQueuedInbox(publisher: Publisher): Inbox {
  return {
    submit: (batch) => publisher.publish({ kind: 'failures', ...batch }),
    close: publisher.idle,
  };
}
