import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../platform/errors.js';
import { decodeBody, type JsonBody } from '../../../platform/http/body-parser.js';
import { clipText } from '../../../platform/lib/clip-text.js';
import { senderOf } from '../../sessions/player-guard.js';
import { failedEventsOf } from '../failed/failed-event.js';
import type { FailedBatch } from '../failed/inbox-queries.js';
import { CHECK_WITHOUT_STORES, createPurchaseCheck, type PurchaseCheck } from '../receipts/purchase-check.js';
import { hasReceipt, NO_RECEIPTS } from '../receipts/receipt-checks.js';
import { checkEvents, type RejectedEvent, type TypeCheck } from './check-events.js';
import type { EventContext } from './event-context.js';
import type { EventSource } from './event-record.js';
import { INSTALL_ID } from './install-id.js';
import type { EventBatch, IntakeResult } from './intake.js';
import { EVENT_LIMITS } from './limits.js';
import { REJECTIONS } from './rejections.js';

/** Longer than any version number. */
const MAX_CLIENT_BUILD = 64;

/** The header of a client that numbers its events. */
const INSTALL_HEADER = 'x-install-id';

export type TakenBatch = {
  stored: IntakeResult;
  rejected: readonly Pick<RejectedEvent, 'index' | 'code' | 'message'>[];
  isAllRejected: boolean;
  failuresKept: Promise<unknown>;
};

/**
 * Decodes, checks and stores a batch. Settles when the good events are durable; `failuresKept` settles when the rejected ones
 * are. `countEvents` is called with their number before anything is stored, and may throw.
 */
export async function takeBatch(
  ctx: EventContext,
  request: FastifyRequest,
  body: Buffer,
  countEvents: (count: number) => void,
): Promise<TakenBatch> {
  const check = ctx.registries.checkFor(senderOf(request));
  const checkType = check instanceof Promise ? await check : check;
  const checkPurchase = await purchaseCheckFor(ctx, request, body);
  const begun = beginBatch(ctx, request, body, countEvents, { checkType, checkPurchase });
  const stored = await begun.storing;
  if (stored.isErased) throw new ApiError('session_ended');
  countStored(ctx, stored);
  const tooSparse = tooSparseEvents(stored, begun.count, begun.rejected);
  const rejected = [...begun.rejected, ...tooSparse].sort((a, b) => a.index - b.index).map(toResponse);
  const isAllRejected = rejected.length > 0 && rejected.length === begun.count;
  const sparseKept = tooSparse.length > 0 && keepRejected(ctx, begun.receipt, decodeBatch(body), tooSparse);
  const failuresKept = Promise.all([begun.failuresKept, sparseKept]);
  failuresKept.catch(() => {});
  return { stored, rejected, isAllRejected, failuresKept };
}

export function countStored({ metrics }: EventContext, { accepted, duplicates }: IntakeResult): void {
  metrics.events.inc({ outcome: 'accepted' }, accepted);
  if (duplicates) metrics.events.inc({ outcome: 'duplicate' }, duplicates);
}

export function toResponse({ index, code, message }: RejectedEvent): TakenBatch['rejected'][number] {
  return { index, code, message };
}

/** How the events of a batch are checked. */
export type BatchChecks = { checkType: TypeCheck; checkPurchase: PurchaseCheck };

/** Checks the receipts of a batch. The body is read for receipts only where it names one. */
function purchaseCheckFor(
  ctx: EventContext,
  request: FastifyRequest,
  body: Buffer,
): PurchaseCheck | Promise<PurchaseCheck> {
  const sender = senderOf(request);
  const stores = ctx.registries.storesOf(sender);
  if (stores === undefined && sender.player !== undefined) return CHECK_WITHOUT_STORES;
  const events = body.includes('"receipt"') ? decodeBatch(body).events : [];
  // Without the database neither the player nor the catalogue is known, nor perhaps the stores of the game.
  if (sender.player === undefined && events.some(hasReceipt)) throw new ApiError('unavailable');
  if (stores === undefined) return CHECK_WITHOUT_STORES;
  const { userId } = sender.claims;
  const rules = { userId, stores, isServer: false };
  if (sender.player === undefined) return createPurchaseCheck({ ...rules, receipts: NO_RECEIPTS });
  const { gameId } = sender.player;
  const receipts = ctx.receipts.check({ userId, gameId }, stores, events);
  return receipts instanceof Promise
    ? receipts.then((checked) => createPurchaseCheck({ ...rules, receipts: checked }))
    : createPurchaseCheck({ ...rules, receipts });
}

/** A batch whose good and rejected events are on their way to the database. */
type BegunBatch = BegunEvents & { count: number };
type BegunEvents = {
  receipt: Receipt;
  storing: Promise<IntakeResult>;
  rejected: readonly RejectedEvent[];
  failuresKept: Promise<void>;
};
type Receipt = Omit<FailedBatch, 'failures'>;

/** Returns nothing of the decoded body: the garbage collector would copy it for as long as PostgreSQL takes. */
function beginBatch(
  ctx: EventContext,
  request: FastifyRequest,
  body: Buffer,
  countEvents: (count: number) => void,
  checks: BatchChecks,
): BegunBatch {
  const decoded = decodeBatch(body);
  const { events } = decoded;
  countEvents(events.length);
  const source: EventSource = { installId: installIdOf(request), clientBuild: clientBuildOf(request) };
  const { player, claims } = senderOf(request);
  const begun = beginEvents(ctx, decoded, { userId: claims.userId, player, source, events }, checks);
  return { ...begun, count: events.length };
}

/** The events of one player in a batch. */
export type PlayerEvents = Pick<EventBatch, 'userId' | 'player' | 'source'> & {
  events: readonly unknown[];
  /** The place of each event in the body, where others have events in it, too. */
  places?: readonly number[];
  /** A server key with `purchases:write` sent them: a replay of those that are rejected has to know. */
  isServer?: boolean;
};

/** Checks the events of one player, and sends the good and the rejected ones on their way. */
export function beginEvents(
  ctx: EventContext,
  decoded: DecodedBatch,
  { userId, player, source, events, places, isServer }: PlayerEvents,
  { checkType, checkPurchase }: BatchChecks,
): BegunEvents {
  const { bytes, suspicious } = decoded;
  const receivedAtMs = ctx.clock.now();
  const whose = { userId, installId: source.installId };
  const checked = checkEvents({ events, bytes, suspicious }, whose, receivedAtMs, checkType, checkPurchase);
  const { events: good, rejectedSequences } = checked;
  const rejected =
    places === undefined
      ? checked.rejected
      : checked.rejected.map((one) => ({ ...one, index: places[one.index] ?? 0 }));
  const receipt = { userId, receivedAtMs, clientBuild: source.clientBuild, isServer };
  const failuresKept = keepRejected(ctx, receipt, decoded, rejected);
  // The caller awaits this promise and gets its error, unless the good events fail first.
  failuresKept.catch(() => {});
  const isEmpty = good.length === 0 && rejectedSequences.length === 0;
  const ownBytes = places === undefined ? bytes : Math.ceil((bytes * events.length) / decoded.events.length);
  const batch = { userId, player, source, events: good, rejectedSequences, bytes: ownBytes };
  const storing = isEmpty ? Promise.resolve(NOTHING) : ctx.intake.submit(batch);
  return { receipt, storing, rejected, failuresKept };
}

export function responseOf({ stored: { accepted, duplicates }, rejected, isAllRejected }: TakenBatch) {
  if (isAllRejected) throw new ApiError('events_rejected', { details: { rejected } });
  // No spread: V8 is slow with the object it makes.
  return duplicates === undefined ? { accepted, rejected } : { accepted, duplicates, rejected };
}

export type DecodedBatch = Omit<JsonBody, 'value'> & { events: readonly unknown[] };

export function decodeBatch(body: Buffer): DecodedBatch {
  const json = body.length === 0 ? undefined : decodeBody(body);
  if (json === undefined || !Array.isArray(json.value)) {
    throw new ApiError('body_invalid', { message: 'The body must be a JSON array of events.' });
  }
  const events: readonly unknown[] = json.value;
  if (events.length > EVENT_LIMITS.maxEvents) {
    throw new ApiError('batch_too_large', { details: { maxEvents: EVENT_LIMITS.maxEvents } });
  }
  return { events, text: json.text, bytes: json.bytes, suspicious: json.suspicious };
}

const NOTHING: IntakeResult = { accepted: 0, duplicates: 0 };

/**
 * Events that only the database could reject. The intake counts the good events of the batch; the response counts all of
 * them.
 */
function tooSparseEvents(
  { tooSparse }: IntakeResult,
  events: number,
  rejected: readonly RejectedEvent[],
): RejectedEvent[] {
  if (tooSparse === undefined) return [];
  const bad = new Set(rejected.map(({ index }) => index));
  const good = Array.from({ length: events }, (_, index) => index).filter((index) => !bad.has(index));
  return tooSparse.map((place) => ({
    index: good[place] ?? 0,
    code: 'sequence_too_sparse',
    message: REJECTIONS.sequence_too_sparse,
    path: '/seq',
  }));
}

/** Rejected events are kept, and like the good ones they are durable before the response. */
async function keepRejected(
  ctx: EventContext,
  receipt: Receipt,
  { text, events }: DecodedBatch,
  rejected: readonly RejectedEvent[],
): Promise<void> {
  if (rejected.length === 0) return;
  await ctx.inbox.submit({ ...receipt, failures: failedEventsOf(text, events, rejected) });
  ctx.metrics.events.inc({ outcome: 'rejected' }, rejected.length);
}

function installIdOf({ headers }: FastifyRequest): string | null {
  const installId = headers[INSTALL_HEADER];
  if (installId === undefined) return null;
  // Node joins the values of a repeated header with a comma and a space.
  if (typeof installId === 'string' && INSTALL_ID.test(installId)) return installId;
  throw new ApiError('header_invalid', {
    message: `X-Install-Id must be sent once, with 1 to ${EVENT_LIMITS.maxInstallIdLength} printable ASCII characters and no spaces.`,
  });
}

/** The build that sent a rejected event or left a gap. Only shown to the studio: no code branches on it. */
export function clientBuildOf({ headers }: FastifyRequest): string | null {
  const build = headers['x-client-build'];
  return typeof build === 'string' && build !== '' ? clipText(build, MAX_CLIENT_BUILD) : null;
}
