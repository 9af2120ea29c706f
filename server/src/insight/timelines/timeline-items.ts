import type { ConfigVersionSummary } from '../../core/configs/config-queries.js';
import { readBuiltInType } from '../../core/events/intake/built-in-event-types.js';
import type { ListedSession } from '../../liveops/sessions/session-list-queries.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { ScannedEvent, TypeFilter } from './block-queries.js';
import type { FailedOfPlayer, OverrideHistory, PinHistory, TransactionEnd } from './timeline-queries.js';
import { TIMELINE_KINDS, type TimelineItem, type TimelineKind } from './timeline-schemas.js';

/** An item, and the millisecond that it is sorted by. */
export type TimedItem = Readonly<{ ms: number; item: TimelineItem }>;

/** Which items are wanted; with an event type only events of that type, refused ones included. */
export type TimelineFilter = Readonly<{ kinds: ReadonlySet<TimelineKind>; eventType: string | null }>;

const PURCHASE = 'Purchase';
const REFUND = 'Refund';
const TYPES_WITH_KINDS = new Map<TimelineKind, string>([
  ['purchase', PURCHASE],
  ['refund', REFUND],
]);

/** Undefined where no event is wanted at all. */
export function typeFilter({ kinds, eventType }: TimelineFilter): TypeFilter | undefined {
  const wanted = TIMELINE_KINDS.flatMap((kind) =>
    kinds.has(kind) ? (TYPES_WITH_KINDS.get(kind) ?? []) : [],
  );
  if (kinds.has('event')) {
    const except = [PURCHASE, REFUND].filter((type) => !wanted.includes(type));
    return { only: eventType === null ? null : [eventType], except };
  }
  const only = wanted.filter((type) => eventType === null || type === eventType);
  return only.length === 0 ? undefined : { only, except: [] };
}

export function eventItem(event: ScannedEvent, ends: ReadonlyMap<string, TransactionEnd>): TimelineItem {
  const { effectiveMs, receivedMs, timestampText, occurredMs, isDecided, sale, ...rest } = event;
  const common = {
    ...rest,
    at: toTime(effectiveMs),
    receivedAt: toTime(receivedMs),
    // Without a text of its own it was in the normal form.
    timestamp: timestampText ?? new Date(occurredMs).toISOString(),
  };
  const isIgnored = isDecided && sale === null;
  if (event.eventType === PURCHASE) {
    const { skuId, price, currency, promoId } = transactionOf(event);
    const transactionId = transactionIdOf(event);
    const end = transactionId === null ? undefined : ends.get(transactionId);
    const refundedAt = toTime(end?.refundedAt ?? null);
    const movedAt = toTime(end?.movedAt ?? null);
    const verifiedBy = sale?.store ?? null;
    const purchase = {
      transactionId,
      skuId,
      price,
      currency,
      promoId,
      refundedAt,
      movedAt,
      verifiedBy,
      isIgnored,
    };
    return { kind: 'purchase', ...common, ...purchase };
  }
  if (event.eventType === REFUND)
    return { kind: 'refund', ...common, transactionId: transactionIdOf(event), isIgnored };
  return { kind: 'event', ...common };
}

/** The id of the receipt, or else the one that the client gave to a purchase or refund. */
export function transactionIdOf({ payload, sale }: ScannedEvent): string | null {
  if (sale !== null) return sale.transactionId;
  return typeof payload.transactionId === 'string' ? payload.transactionId : null;
}

const NO_TRANSACTION = { skuId: null, price: null, currency: null, promoId: null };

/** It was a purchase when it was stored. If today's rules do not read it as one, its payload is still shown. */
function transactionOf({ eventType, payload, metadata, sale }: ScannedEvent) {
  if (sale !== null) return sale;
  const facts = readBuiltInType(eventType, payload, metadata, '');
  return 'code' in facts ? NO_TRANSACTION : (facts.transaction ?? NO_TRANSACTION);
}

export function failedItem({ receivedAt, replayedAt, ...failed }: FailedOfPlayer): TimedItem {
  const times = { at: toTime(receivedAt), replayedAt: toTime(replayedAt) };
  return { ms: receivedAt, item: { kind: 'failed', ...failed, ...times } };
}

/** `isComplete`: the player has no older sessions. The first login is known from the player, also when its session is gone. */
export function loginItems(
  sessions: readonly ListedSession[],
  firstLoginMs: number,
  isComplete: boolean,
): TimedItem[] {
  const items = sessions.map(({ createdAt, sessionId, deviceId }) =>
    loginItem(createdAt, createdAt === firstLoginMs, { sessionId, deviceId }),
  );
  const hasFirst = sessions.some(({ createdAt }) => createdAt <= firstLoginMs);
  if (isComplete && !hasFirst) items.push(loginItem(firstLoginMs, true, { sessionId: null, deviceId: null }));
  return items;
}

type SessionOfLogin = { sessionId: string | null; deviceId: string | null };

function loginItem(ms: number, isFirst: boolean, session: SessionOfLogin): TimedItem {
  return { ms, item: { kind: 'login', at: toTime(ms), isFirst, ...session } };
}

export function overrideItems(history: readonly OverrideHistory[], nowMs: number): TimedItem[] {
  return changeItems(history, nowMs, ({ flagId, value }, change) => ({
    kind: 'override',
    flagId,
    value,
    ...change,
  }));
}

export function pinItems(history: readonly PinHistory[], nowMs: number): TimedItem[] {
  return changeItems(history, nowMs, ({ kind: pinKind, target, value }, change) => ({
    kind: 'pin',
    pinKind,
    target,
    value,
    ...change,
  }));
}

type Change = Readonly<{
  at: string;
  change: 'set' | 'cleared' | 'ended';
  reason: string;
  by: string | null;
  byEmail: string | null;
  until: string | null;
}>;

/** Up to two for each override or pin, newest first: set, and cleared or ended. */
function changeItems<T extends Omit<OverrideHistory, 'flagId' | 'value'>>(
  history: readonly T[],
  nowMs: number,
  toItem: (row: T, change: Change) => TimelineItem,
): TimedItem[] {
  return history
    .flatMap((row) => {
      const { id, reason, author, authorEmail, setAt, until, clearedAt, clearedBy, clearedByEmail } = row;
      const item = (
        change: Change['change'],
        ms: number,
        who: Readonly<{ by: string | null; byEmail: string | null }>,
      ) => ({
        id,
        ms,
        item: toItem(row, { at: toTime(ms), change, reason, ...who, until: toTime(until) }),
      });
      const set = item('set', setAt, { by: author, byEmail: authorEmail });
      if (until !== null && until <= Math.min(nowMs, clearedAt ?? nowMs)) {
        return [item('ended', until, { by: null, byEmail: null }), set];
      }
      if (clearedAt === null) return [set];
      return [item('cleared', clearedAt, { by: clearedBy, byEmail: clearedByEmail }), set];
    })
    .sort((a, b) => b.ms - a.ms || Number(BigInt(b.id) - BigInt(a.id)))
    .map(({ ms, item }) => ({ ms, item }));
}

export function versionItem({ publishedAt, ...version }: ConfigVersionSummary): TimedItem {
  return { ms: publishedAt, item: { kind: 'version', at: toTime(publishedAt), ...version } };
}
