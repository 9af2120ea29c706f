import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import { success } from '../../platform/admin-api/admin-responses.js';
import { busy } from '../../platform/errors.js';
import type { KeySemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from './admin-context.js';
import type { JobRun, NewJob } from './background-jobs.js';
import { JobResponse, toJob } from './job-schemas.js';
import { type LineWriter, writeJsonLines } from './json-lines.js';

/** About as long as such work takes in a game with a few hundred thousand players. */
const RETRY_AFTER_SECONDS = 10;

/** Lines of JSON of such a form, for the documentation of a route. */
export const linesOf = (line: TSchema) => ({
  description: 'Lines of JSON',
  content: { 'application/x-ndjson': { schema: line } },
});

/** The responses of a route whose work takes long: lines of JSON, or with `background` a job. */
export const longWorkResponses = (line: TSchema) => ({ 202: JobResponse, 200: linesOf(line) });

export type LongWork = Readonly<{
  query: Readonly<{ background?: 'true' | 'false' }>;
  /** Where the work runs. If it has no place, the response is `busy`. */
  slot: KeySemaphore;
  job: NewJob;
  /** Runs until it is done or the job is cancelled. */
  asJob: (run: JobRun) => Promise<unknown>;
  /** What it is called in the log. */
  what: string;
  /** Runs until it is done or the client disconnects. */
  asLines: (writer: LineWriter) => Promise<void>;
}>;

export async function startLongWork(
  { jobs, logger }: AdminContext,
  reply: FastifyReply,
  { query, slot, job, asJob, what, asLines }: LongWork,
) {
  if (query.background === 'true') {
    const started = await jobs.start(job, asJob, slot.take);
    if (started === undefined) throw busy(RETRY_AFTER_SECONDS);
    return reply.code(202).send(success(toJob(started)));
  }
  return sendLines(reply, slot, (lines) => writeJsonLines(lines, { logger, what }, asLines));
}

/** Responds with the lines that the work writes. */
export function sendLines(
  reply: FastifyReply,
  slot: KeySemaphore,
  write: (lines: PassThrough) => Promise<void>,
  retryAfterSeconds = RETRY_AFTER_SECONDS,
) {
  const lines = new PassThrough();
  if (slot.take(() => write(lines)) === undefined) throw busy(retryAfterSeconds);
  return reply.header('content-type', 'application/x-ndjson').send(lines);
}
