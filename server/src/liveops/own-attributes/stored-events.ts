import type { FoldedEvent } from '../../decide/own-attributes/event-value.js';

/** The members of `event_blocks.events` that matter here; see the schema of the database. */
type StoredTuple = [
  eventType: string,
  occurredAt: string,
  payload: Record<string, unknown>,
  metadata: Record<string, unknown>,
  sequence?: number | null,
  eventId?: string | null,
  more?: { suspect?: boolean; received?: number },
];

export type StoredEvent = FoldedEvent & Readonly<{ eventType: string }>;

/** The events of a block, each at the time that aggregates use. */
export function storedEvents(eventsJson: string, blockReceivedAtMs: number): StoredEvent[] {
  const tuples = JSON.parse(eventsJson) as StoredTuple[];
  return tuples.map(([eventType, occurredAt, payload, metadata, , , more]) => {
    const receivedAtMs = more?.received ?? blockReceivedAtMs;
    // Only a time before year 1 cannot be parsed, and its clock is suspect.
    const isSuspect = more?.suspect ?? false;
    const atMs = isSuspect ? receivedAtMs : Math.min(Date.parse(occurredAt), receivedAtMs);
    return { eventType, atMs, payload, metadata };
  });
}
