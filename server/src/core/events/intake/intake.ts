import type { CheckedEvent, EventSource, PlayerKey } from './event-record.js';

/** The good events of one request. */
export type EventBatch = {
  userId: string;
  /** Undefined when only the token was checked, because the database could not be reached. */
  player: PlayerKey | undefined;
  source: EventSource;
  events: readonly CheckedEvent[];
  /** The numbers of the rejected events. */
  rejectedSequences: readonly number[];
  bytes: number;
};

export type IntakeResult = {
  accepted: number;
  /** Left out with a queue, where the number is not known yet. */
  duplicates?: number;
  /** The events that were rejected because their numbers leave too many gaps. Left out if there are none. */
  tooSparse?: readonly number[];
  /** Set if the player was erased after the request was checked. Nothing was stored. */
  isErased?: true;
};

/** Takes batches and resolves once they are durable, never before. */
export type EventIntake = {
  submit(batch: EventBatch): Promise<IntakeResult>;
  /** Finishes the batches that were accepted. */
  close(): Promise<void>;
};
