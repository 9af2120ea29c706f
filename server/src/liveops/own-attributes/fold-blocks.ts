import type { OwnFold } from '../../decide/own-attributes/own-state.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { readBlocks } from './back-fill-queries.js';
import { storedEvents } from './stored-events.js';

/** Folds all stored events of the players, who are the keys of `folds`, or stops at the signal. Within a transaction of the caller's. */
export async function foldBlocks(
  connection: DedicatedConnection | Client,
  folds: ReadonlyMap<string, OwnFold>,
  signal?: AbortSignal,
): Promise<void> {
  const timeSlice = new TimeSlice(() => performance.now());
  for await (const { playerId, receivedAtMs, eventsJson } of readBlocks(connection, [...folds.keys()])) {
    if (signal?.aborted) return;
    const fold = folds.get(playerId);
    if (fold === undefined) continue;
    for (const event of storedEvents(eventsJson, receivedAtMs)) {
      if (fold.reads(event.eventType)) fold.add(event.eventType, event);
    }
    if (timeSlice.isOver) await timeSlice.giveWay();
  }
}
