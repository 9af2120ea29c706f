import { expect } from 'vitest';
import { AdmissionQueue, type AdmissionQueueOptions } from '../../src/platform/overload/admission-queue.js';
import { createManualClock } from './manual-clock.js';
import { turns } from './turns.js';

/** At a rate of 1 and with a second to wait, 1,000 may be before a request, and half of it runs at once. */
export const QUEUE_OPTIONS: AdmissionQueueOptions = {
  capacity: 500,
  minCapacity: 10,
  maxWaitMs: 1_000,
  maxWaiting: 10_000,
  maxRequestsPerKey: 8,
  stallTimeoutMs: 100,
  initialRatePerMs: 1,
};

/** A queue with a clock that is moved by hand, work that goes on until it is told to end, and a record of what has begun. */
export function createQueue(options: Partial<AdmissionQueueOptions> = {}) {
  const clock = createManualClock();
  const waits: number[] = [];
  const queue = new AdmissionQueue({
    ...QUEUE_OPTIONS,
    now: clock.now,
    onBegin: (waitedMs) => waits.push(waitedMs),
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    queue,
    clock,
    waits,
    begun,
    /** The letters of a name are its key: `a1` and `a2` are of the same player. */
    send: (name: string, weight: number, signal?: AbortSignal) =>
      queue.run(
        { key: name.replace(/\d/g, ''), weight, ...(signal && { signal: () => signal }) },
        () =>
          new Promise<string>((resolve, reject) => {
            begun.push(name);
            ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
          }),
      ),
    end: async (name: string, error?: Error) => {
      ends.get(name)?.(error);
      await turns(3);
    },
  };
}

export const refused = (reason: string) => expect.objectContaining({ name: 'OverloadedError', reason });
