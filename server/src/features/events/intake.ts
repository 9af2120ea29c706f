import type { CheckedEvent, EventSource, PlayerKey } from './event-record.js';

/** The good events of one request. */
export type EventBatch = {
  userId: string;
  /** Undefined when the sender was let in by the token alone, because the database could not be asked. */
  player: PlayerKey | undefined;
  source: EventSource;
  events: readonly CheckedEvent[];
  /** The numbers of the bad ones. */
  rejectedSequences: readonly number[];
  bytes: number;
};

export type IntakeResult = {
  accepted: number;
  /** Left out where a queue stands between and it is not known yet. */
  duplicates?: number;
  /** Which of the events were not taken because their numbers leave too many gaps. Left out if none. */
  tooSparse?: readonly number[];
};

/** Takes batches and resolves once they are durable, never before. */
export type EventIntake = {
  submit(batch: EventBatch): Promise<IntakeResult>;
  /** Finishes what was taken. */
  close(): Promise<void>;
};
