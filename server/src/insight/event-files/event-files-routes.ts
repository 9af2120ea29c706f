import type { FastifyInstance } from 'fastify';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { hangUpOf } from '../../platform/http/hang-up.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { OperationsContext } from '../../studio/module-type.js';
import { renameErasedUsers } from '../../trust/erasures/erased-players.js';
import { ASK_LIMITS, askFiles } from './asking/ask-files.js';
import type { Answer, Outcome } from './asking/question.js';
import { AnswerResponse, EventFilesResponse, QuestionBody } from './event-files-schemas.js';
import { findFileTotals, findGameFolder } from './stored-files.js';

/** A question has memory and cores of the machine that serves players. */
export const QUESTIONS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 1 };
const TRY_AGAIN = { 'retry-after': '10' };
/** Shorter than the time after which most proxies give up. */
const LIMITS = { ...ASK_LIMITS, maxMs: 30_000 };

/** `eventFiles` is undefined where no files are written. */
type EventFilesContext = AdminContext &
  Pick<OperationsContext, 'erasureHashes'> &
  Readonly<{ eventFiles: EventFilesSettings | undefined }>;

/** The files of closed days, and questions to them. */
export function eventFilesRoutes(app: FastifyInstance, ctx: EventFilesContext): void {
  const routes = routesOfGame(app, ctx, 'Event files');
  const semaphore = createFairSemaphore(QUESTIONS);

  routes.get('/admin/v1/games/:game/event-files', {
    role: 'viewer',
    operationId: 'getEventFiles',
    summary: 'How many events of which days there are as files',
    response: { 200: EventFilesResponse },
    handle: async ({ gameId }) => ({
      isOn: ctx.eventFiles !== undefined,
      ...(await findFileTotals(ctx.pool, gameId)),
    }),
  });

  routes.post('/admin/v1/games/:game/event-files/ask', {
    role: 'editor',
    operationId: 'askEventFiles',
    summary: 'Ask the files of closed days in SQL',
    description:
      'The same as `savepoint sql`: the table `events` has every event of the closed days of the game, once. The columns are in docs/analysts.md. A question reads nothing else and changes nothing. It has 512 MB, 30 seconds, and 1,000 rows and columns of 4 MB together. A studio may ask one question at a time, and it is in the audit log.',
    body: QuestionBody,
    response: { 200: AnswerResponse },
    errors: [
      ...BODY_ERRORS,
      'event_files_off',
      'duckdb_missing',
      'question_invalid',
      'question_too_large',
      'busy',
    ],
    handle: async ({ gameId, admin, body, reply, actorNow }) => {
      const { eventFiles, pool, clock } = ctx;
      if (eventFiles === undefined) throw new ApiError('event_files_off');
      const { sql } = body;
      const signal = hangUpOf(reply);
      const asked = semaphore.of(admin.tenantId, signal).take(async () => {
        await auditQuestion(pool, gameId, await renameErasedUsers(pool, ctx.erasureHashes, sql), actorNow());
        const game = await findGameFolder(pool, gameId);
        return askFiles(pool, eventFiles, game, sql, { limits: LIMITS, signal, now: clock.now });
      });
      if (asked === undefined) {
        throw new ApiError('busy', { headers: TRY_AGAIN });
      }
      const outcome = await asked.catch((error: unknown) => {
        // Nobody gets the response: this is for the log.
        throw signal.aborted ? new ApiError('request_timeout', { cause: error }) : error;
      });
      return answerOf(outcome);
    },
  });
}

const ERROR_OF = {
  refused: 'question_invalid',
  failed: 'question_invalid',
  no_duckdb: 'duckdb_missing',
  out_of_memory: 'question_too_large',
  out_of_time: 'question_too_large',
  too_many_files: 'question_too_large',
  answer_too_large: 'question_too_large',
} as const;

function answerOf(outcome: Outcome) {
  // What a store says about itself is for the log.
  if (outcome.outcome === 'no_files')
    throw new ApiError('unavailable', { headers: TRY_AGAIN, cause: new Error(outcome.message) });
  if (outcome.outcome !== 'answered')
    throw new ApiError(ERROR_OF[outcome.outcome], { message: sentenceOf(outcome.message) });
  const { columns, rows, isCut }: Answer = outcome.answer;
  return { columns: [...columns], rows: rows.map((row) => [...row]), isCut };
}

/** DuckDB writes several lines, with a mark below the place in the question. */
function sentenceOf(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  const text = lines.filter((line) => line !== '' && line !== '^').join(' ');
  return /[.?]$/.test(text) ? text : `${text}.`;
}

/** Before it is asked: also a question that ends in an error may have been meant to find something. */
function auditQuestion(pool: Pool, gameId: number, sql: string, actor: Actor): Promise<void> {
  return transaction(pool, (client) =>
    insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'event_files.ask',
      target: 'files of events',
      before: null,
      after: { sql },
    }),
  );
}
