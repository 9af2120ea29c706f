import type { Inbox } from '../features/events/failed/inbox.js';
import type { EventIntake } from '../features/events/intake.js';
import type { Publisher } from './publisher.js';

/** Events go to the stream, and are answered once the stream has them; consumers apply them later. */
export function createQueuedIntake(publisher: Publisher): EventIntake {
  return {
    async submit({ userId, source, events, rejectedSequences }) {
      await publisher.publish({ kind: 'events', userId, source, events, rejectedSequences });
      return { accepted: events.length };
    },
    close: publisher.idle,
  };
}

/** Refused events take the same way: one bad event must not hold up a batch while the database is away. */
export function createQueuedInbox(publisher: Publisher): Inbox {
  return {
    submit: (batch) => publisher.publish({ kind: 'failures', ...batch }),
    close: publisher.idle,
  };
}
