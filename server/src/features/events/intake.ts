import type { EventRecord } from './event-record.js';

/** The good events of one request. */
export type EventBatch = { userId: string; records: readonly EventRecord[]; bytes: number };

/** `duplicates` is left out where a queue stands between and it is not known yet. */
export type IntakeResult = { accepted: number; duplicates?: number };

/** Takes batches and answers once they are durable, never before. */
export type EventIntake = {
  submit(batch: EventBatch): Promise<IntakeResult>;
  /** Finishes what was taken. */
  close(): Promise<void>;
};
