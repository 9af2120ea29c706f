import type { CheckedEvent, PlayerKey } from './event-record.js';

/** The good events of one request. */
export type EventBatch = {
  userId: string;
  /** Undefined when the sender was let in by the token alone, because the database could not be asked. */
  player: PlayerKey | undefined;
  events: readonly CheckedEvent[];
  bytes: number;
};

/** `duplicates` is left out where a queue stands between and it is not known yet. */
export type IntakeResult = { accepted: number; duplicates?: number };

/** Takes batches and answers once they are durable, never before. */
export type EventIntake = {
  submit(batch: EventBatch): Promise<IntakeResult>;
  /** Finishes what was taken. */
  close(): Promise<void>;
};
