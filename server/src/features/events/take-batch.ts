import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.js';
import { decodeBody } from '../../http/body-parser.js';
import { clipText } from '../../lib/clip-text.js';
import { senderOf } from '../sessions/player-guard.js';
import { checkEvents, type RejectedEvent } from './check-events.js';
import type { EventContext } from './event-context.js';
import type { EventSource } from './event-record.js';
import { failedEventsOf } from './failed/failed-event.js';
import type { FailedBatch } from './failed/inbox-queries.js';
import type { EventBatch, IntakeResult } from './intake.js';
import { EVENT_LIMITS } from './limits.js';
import { REJECTIONS } from './rejections.js';

/** Longer than any version number. */
const MAX_CLIENT_BUILD = 64;

/** The header of a client that numbers its events. */
export const INSTALL_HEADER = 'x-install-id';

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
  const { events, text, bytes, suspicious } = decodeBatch(body);
  countEvents(events.length);
  const source: EventSource = { installId: installIdOf(request), clientBuild: clientBuildOf(request) };
  const sender = senderOf(request);
  const { player } = sender;
  const { userId } = sender.claims;
  const now = ctx.clock.now();
  const check = ctx.registries.checkFor(sender);
  const checkType = check instanceof Promise ? await check : check;
  const whose = { userId, installId: source.installId };
  const checked = checkEvents({ events, bytes, suspicious }, whose, now, checkType);
  const { rejectedSequences } = checked;
  const keep = (rejected: readonly RejectedEvent[]): Promise<void> => {
    const failures = rejected.length === 0 ? [] : failedEventsOf(text, events, rejected);
    return keepFailures(ctx, { userId, receivedAtMs: now, clientBuild: source.clientBuild, failures });
  };
  const checkFailuresKept = keep(checked.rejected);
  // The caller awaits this promise and gets its error, unless the good events fail first.
  checkFailuresKept.catch(() => {});
  const batch = { userId, player, source, events: checked.events, rejectedSequences, bytes };
  const stored = await takeEvents(ctx, batch);
  const tooSparse = tooSparseEvents(stored, events.length, checked.rejected);
  const rejected = [...checked.rejected, ...tooSparse]
    .sort((a, b) => a.index - b.index)
    .map(({ index, code, message }) => ({ index, code, message }));
  const isAllRejected = rejected.length > 0 && rejected.length === events.length;
  const failuresKept = Promise.all([checkFailuresKept, keep(tooSparse)]);
  failuresKept.catch(() => {});
  return { stored, rejected, isAllRejected, failuresKept };
}

export function responseOf({ stored: { accepted, duplicates }, rejected, isAllRejected }: TakenBatch) {
  if (isAllRejected) throw new ApiError('events_rejected', { details: { rejected } });
  // No spread: V8 is slow with the object it makes.
  return duplicates === undefined ? { accepted, rejected } : { accepted, duplicates, rejected };
}

function decodeBatch(body: Buffer) {
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

async function takeEvents(ctx: EventContext, batch: EventBatch): Promise<IntakeResult> {
  if (batch.events.length === 0 && batch.rejectedSequences.length === 0) return NOTHING;
  const taken = await ctx.intake.submit(batch);
  ctx.metrics.events.inc({ outcome: 'accepted' }, taken.accepted);
  if (taken.duplicates) ctx.metrics.events.inc({ outcome: 'duplicate' }, taken.duplicates);
  return taken;
}

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
async function keepFailures(ctx: EventContext, batch: FailedBatch): Promise<void> {
  if (batch.failures.length === 0) return;
  await ctx.inbox.submit(batch);
  ctx.metrics.events.inc({ outcome: 'rejected' }, batch.failures.length);
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

const INSTALL_ID = new RegExp(`^[\\x21-\\x7e]{1,${EVENT_LIMITS.maxInstallIdLength}}$`);

/** The build that sent a rejected event or left a gap. Only shown to the studio: no code branches on it. */
function clientBuildOf({ headers }: FastifyRequest): string | null {
  const build = headers['x-client-build'];
  return typeof build === 'string' && build !== '' ? clipText(build, MAX_CLIENT_BUILD) : null;
}
