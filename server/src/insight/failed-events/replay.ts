import { applyEventsWithin } from '../../core/events/apply/apply-events.js';
import { type FailureReason, storableReason } from '../../core/events/failed/failed-event.js';
import { checkEvents, type TypeCheck } from '../../core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../core/events/intake/event-record.js';
import { createPurchaseCheck } from '../../core/events/receipts/purchase-check.js';
import type { ReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import { NO_STORES } from '../../core/events/receipts/store-settings.js';
import type { Registries } from '../../core/events/types/registries.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, isUnavailable, type Pool, transaction } from '../../platform/db/pool.js';
import { decodeJson } from '../../platform/lib/json-body.js';
import type { OrderHashes } from '../../platform/security/erasure-hashes.js';
import { type FailedGroup, findFailedEvent } from './failed-event-queries.js';
import {
  type ClaimedEvent,
  claimFailedEvent,
  claimFailedEvents,
  measureFailedGroup,
  updateReasons,
  updateReplayed,
} from './replay-queries.js';

/**
 * Sends entries of the inbox through the same checks and the same apply function as at intake, for the player whose events they
 * are, with their time of receipt, and as what they were sent: by the player, or by a server of the studio.
 *
 *               passes
 *   ┌──► open ──────────► replayed
 *   │     │ │ still fails:    │
 *   └─────┘ │ new reason      │  30 days after receipt
 *           └─────────────────┴────────────────────────► deleted (also by the studio, at any time)
 *
 * An event and the mark on its entry are committed together under a lock on the entry, so an entry is applied once, also
 * with different edits at the same time. Identity is that of intake: one that the client has sent again counts once, too.
 */
export type Replayed =
  /** `wasNew` is false when the event had arrived another way. */
  | { outcome: 'replayed'; wasNew: boolean }
  | { outcome: 'failed'; reason: FailureReason }
  /** Only the beginning of the event was kept: replaying it needs an edited one. */
  | { outcome: 'cut' }
  /** There is no such entry, or it was replayed before. */
  | { outcome: 'not_open' };

export type ReplayTools = {
  pool: Pool;
  registries: Registries;
  receipts: ReceiptChecks;
  /** Tell orders of erased players. Undefined: this process has no master key. */
  hashes: () => Promise<OrderHashes | undefined>;
};

export type ReplayOptions = {
  actor: Actor;
  /** The JSON text of the event to apply in place of the entry's. If it fails, the entry stays as it is. */
  edited?: string;
  /** Refuses entries of other games. */
  gameId?: number;
};

export async function replayFailedEvent(
  tools: ReplayTools,
  id: string,
  { actor, edited, gameId }: ReplayOptions,
): Promise<Replayed> {
  const entry = await findFailedEvent(tools.pool, id, gameId);
  if (entry === undefined) return { outcome: 'not_open' };
  const checkType = await tools.registries.current(entry.gameId);
  const run: Run = { ...tools, checkType, actor, edited };
  return replayAlone(run, id);
}

export type ReplayProgress = {
  /** Entries that were open at the start. */
  total: number;
  replayed: number;
  /** Of the replayed ones: had arrived another way. */
  duplicates: number;
  failed: number;
};

export type ReplayGroupOptions = {
  actor: Actor;
  /** Ends the run before the next chunk, with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: (progress: ReplayProgress) => void;
};

/** About a tenth of a second of work: short locks, frequent progress. */
const CHUNK = 200;

/**
 * Replays all entries of a group that are open now, oldest first, in chunks of one transaction each. It can be
 * interrupted and started again, or run twice at once: each entry is replayed once.
 */
export async function replayFailedGroup(
  tools: ReplayTools,
  group: FailedGroup,
  { actor, signal, onProgress }: ReplayGroupOptions,
): Promise<ReplayProgress> {
  const { entries: total, lastId } = await measureFailedGroup(tools.pool, group);
  const progress: ReplayProgress = { total, replayed: 0, duplicates: 0, failed: 0 };
  let afterId = '0';
  for (;;) {
    signal?.throwIfAborted();
    const span = { afterId, lastId };
    const checkType = await tools.registries.current(group.gameId);
    const run: Run = { ...tools, checkType, actor, edited: undefined };
    const chunk = await replayChunk(run, (client) => claimFailedEvents(client, group, span, CHUNK));
    for (const { result } of chunk) count(progress, result);
    onProgress?.({ ...progress });
    if (chunk.length < CHUNK) return progress;
    afterId = chunk.at(-1)?.id ?? lastId;
  }
}

function count(progress: ReplayProgress, result: Replayed): void {
  if (result.outcome === 'replayed') {
    progress.replayed++;
    if (!result.wasNew) progress.duplicates++;
  } else if (result.outcome !== 'not_open') {
    progress.failed++;
  }
}

type Run = ReplayTools & { checkType: TypeCheck; actor: Actor; edited: string | undefined };
type Claim = (client: Client) => Promise<ClaimedEvent[]>;
type Result = { id: string; result: Replayed };

/** All in one transaction. If PostgreSQL refuses one of them, each in its own, so that only the failing one is left. */
async function replayChunk(run: Run, claim: Claim): Promise<Result[]> {
  let ids: string[] = [];
  try {
    return await replayClaimed(run, async (client) => {
      const claimed = await claim(client);
      ids = claimed.map((entry) => entry.id);
      return claimed;
    });
  } catch (error) {
    if (ids.length === 0 || isUnavailable(error)) throw error;
  }
  const results: Result[] = [];
  for (const id of ids) results.push({ id, result: await replayAlone(run, id) });
  return results;
}

async function replayAlone(run: Run, id: string): Promise<Replayed> {
  try {
    const [done] = await replayClaimed(run, async (client) => {
      const claimed = await claimFailedEvent(client, id);
      return claimed === undefined ? [] : [claimed];
    });
    return done?.result ?? { outcome: 'not_open' };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const message = `The database refused the event: ${(error as Error).message}.`;
    const reason = storableReason({ code: 'apply_failed', message, path: '' });
    if (run.edited === undefined) await updateReasons(run.pool, [{ id, ...reason }]);
    return { outcome: 'failed', reason };
  }
}

async function replayClaimed(run: Run, claim: Claim): Promise<Result[]> {
  const { pool, actor, edited } = run;
  const hashes = await run.hashes();
  return transaction(pool, async (client) => {
    const entries: { entry: ClaimedEvent; checked: Checked }[] = [];
    for (const entry of await claim(client)) entries.push({ entry, checked: await check(entry, run) });
    const good = entries.flatMap(({ entry, checked }) =>
      'record' in checked ? [{ id: entry.id, record: checked.record }] : [],
    );
    const bad = entries.flatMap(({ entry, checked }) =>
      'reason' in checked ? [{ id: entry.id, ...checked.reason }] : [],
    );
    const outcomes = await applyEventsWithin(
      client,
      good.map(({ record }) => record),
      hashes,
    );
    const ids = good.map(({ id }) => id);
    if (good.length > 0) {
      await updateReplayed(client, ids, actor.nowMs, edited ?? null);
      await audit(client, entries[0]?.entry.gameId ?? null, ids, edited !== undefined, actor);
    }
    if (bad.length > 0 && edited === undefined) await updateReasons(client, bad);

    const wasNew = new Map(good.map(({ id }, index) => [id, outcomes[index] === 'new']));
    return entries.map(({ entry: { id }, checked }) => ({
      id,
      result: 'record' in checked ? { outcome: 'replayed', wasNew: wasNew.get(id) ?? false } : checked,
    }));
  });
}

/** Without the events themselves: what a player sent stays in the inbox, and is deleted with it. */
async function audit(
  client: Client,
  gameId: number | null,
  ids: readonly string[],
  isEdited: boolean,
  actor: Actor,
): Promise<void> {
  const [first] = ids;
  const target = ids.length === 1 ? `failed event ${first}` : `failed events ${first} to ${ids.at(-1)}`;
  await insertAuditEntry(client, actor, {
    tenantId: null,
    gameId,
    action: 'failed_event.replay',
    target,
    before: null,
    after: { replayed: ids.length, isEdited },
  });
}

type Checked = { record: EventRecord } | Extract<Replayed, { outcome: 'failed' | 'cut' }>;

async function check(
  entry: ClaimedEvent,
  { checkType, registries, receipts, edited }: Run,
): Promise<Checked> {
  if (edited === undefined && entry.isCut) return { outcome: 'cut' };
  const { userId, gameId, ordinal, receivedAt, isServer } = entry;
  const bytes = Buffer.from(edited ?? entry.raw);
  const decoded = decodeJson(bytes);
  if (!decoded.ok)
    return failed({ code: 'event_invalid', message: 'The event is not valid JSON.', path: '' });
  const stores = registries.storesOf({ player: { gameId } }) ?? NO_STORES;
  const checkPurchase = createPurchaseCheck({
    userId,
    stores,
    receipts: await receipts.check({ userId, gameId }, stores, [decoded.value]),
    isServer,
  });
  const { events, rejected } = checkEvents(
    { events: [decoded.value], bytes: bytes.length, suspicious: decoded.suspicious, firstOrdinal: ordinal },
    { userId },
    receivedAt,
    checkType,
    checkPurchase,
  );
  const [record] = recordsOfPlayer(events, entry);
  if (record !== undefined) return { record };
  const [problem] = rejected;
  if (problem === undefined) throw new Error('an event is either accepted or rejected');
  return failed({ code: problem.code, message: problem.message, path: problem.path });
}

function failed(reason: FailureReason): Checked {
  return { outcome: 'failed', reason: storableReason(reason) };
}
