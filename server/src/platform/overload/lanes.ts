import { FairQueues, type Load, type Weighted } from './fair-queues.js';

/** Which requests come before a new one: those that wait, or also those that were announced and are not there yet. */
export type Before = 'waiting' | 'waiting and announced';

/** The order in which requests begin. Each key has a queue of its own, and the queues take turns. */
export class Lanes<W extends Weighted> {
  readonly waiting = new FairQueues<W>();
  /** In queues of their own, so that they count by key as those that wait do. */
  readonly announced = new FairQueues<Weighted>();

  loadOf(key: string): Load {
    const [waiting, announced] = [this.waiting.loadOf(key), this.announced.loadOf(key)];
    return {
      requests: waiting.requests + announced.requests,
      weight: waiting.weight + announced.weight,
    };
  }

  announcedWeight(before: Before): number {
    return before === 'waiting' ? 0 : this.announced.weight;
  }

  /**
   * The weight that begins before a new request. It waits for the first request of each queue, because the queues take turns.
   * Behind requests of its own key it waits for more: all of them are counted then.
   */
  weightBefore(key: string | undefined, before: Before): number {
    const ahead = before === 'waiting' ? [this.waiting] : [this.waiting, this.announced];
    const isBehindOwn = key !== undefined && ahead.some((queues) => queues.loadOf(key).requests > 0);
    return ahead.reduce((sum, queues) => sum + (isBehindOwn ? queues.weight : queues.headWeight), 0);
  }
}
