import { type Batch, bytesOf, eventBytes } from './event-batch.js';

const isAd = (event: string) => event.startsWith('{"eventType":"Ad_Impression"');
const isPurchase = (event: string) => /^\{"eventType":"(Purchase|Refund)"/.test(event);

/**
 * Makes room for `needed` bytes: drops the oldest ads, then the oldest other events, never purchases and refunds. The rest is
 * renumbered so that all dropped numbers are one range, before the first batch: the service limits the number of gaps.
 * Takes batches that were never sent, oldest first; an emptied one is undefined.
 */
export function makeRoom(
  batches: readonly Batch[],
  needed: number,
): { kept: (Batch | undefined)[]; dropped: string[]; bytes: number } {
  const dropped: string[] = [];
  let bytes = 0;
  // The numbers of damaged events are gone already.
  const gone = batches.map(({ events }) => new Set(events.flatMap((event, index) => (event ? [] : [index]))));
  for (const isFirst of [true, false]) {
    for (const [place, { events }] of batches.entries()) {
      for (const [index, event] of events.entries()) {
        if (bytes >= needed) break;
        if (gone[place]?.has(index) || isPurchase(event) || (isFirst && !isAd(event))) continue;
        gone[place]?.add(index);
        dropped.push(event);
        bytes += eventBytes(event);
      }
    }
  }

  const kept: (Batch | undefined)[] = [];
  let shift = 0;
  for (let place = batches.length - 1; place >= 0; place--) {
    const batch = batches[place] as Batch;
    const out = gone[place] as Set<number>;
    if (batch.install !== batches[place + 1]?.install) shift = 0;
    shift += out.size;
    if (shift === 0) kept[place] = batch;
    else if (out.size < batch.events.length) {
      const events = batch.events.filter((_, index) => !out.has(index));
      kept[place] = { ...batch, first: batch.first + shift, events, bytes: bytesOf(events) };
    } else kept[place] = undefined;
  }
  return { kept, dropped, bytes };
}
