import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { parseCsvBodies } from '../../studio/admin-api/csv-bodies.js';
import { BackgroundQuery } from '../../studio/admin-api/job-schemas.js';
import { longWorkResponses, startLongWork } from '../../studio/admin-api/long-work.js';
import { readOverrideFile } from './override-file.js';
import { checkOverrides, importOverrides } from './override-import.js';

/** Each holds locks on players for a moment at a time. Nobody waits with a request open. */
const RUNS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };

const Progress = Type.Object(
  {
    total: Type.Integer({ description: 'Rows of the file' }),
    set: Type.Integer(),
    cleared: Type.Integer(),
    unchanged: Type.Integer({ description: 'Rows that say what stands already' }),
  },
  { title: 'OverrideImportProgress' },
);
const PROGRESS_EXAMPLE = { total: 1_200, set: 1_180, cleared: 3, unchanged: 17 };

const IMPORT_FILE = {
  content: {
    'text/csv': {
      schema: Type.String({
        examples: [
          'playerId,flagId,value,reason,until\r\n0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a,isPayer,true,Paid by bank transfer,\r\n',
        ],
      }),
    },
  },
};

const ImportLine = Type.Union(
  [
    Type.Object({ progress: Progress }),
    Type.Object({ result: Progress }, { description: 'The last line' }),
    Type.Object(
      { error: Type.Object({ code: Type.String(), message: Type.String() }) },
      { description: 'The last line, if it failed on the way. What was set stays so: send the file again.' },
    ),
  ],
  { title: 'OverrideImportLine', examples: [{ progress: PROGRESS_EXAMPLE }, { result: PROGRESS_EXAMPLE }] },
);

/** Flags of many players, from a file. */
export function overrideImportRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');
  const semaphore = createFairSemaphore(RUNS);
  parseCsvBodies(app);

  routes.post('/admin/v1/games/:game/overrides/import', {
    role: 'editor',
    operationId: 'importOverrides',
    summary: 'Set flags of many players from a CSV file',
    description:
      'Columns: playerId, flagId, value (true, false, or clear), reason, and perhaps until. All rows are checked first: with anything wrong, nothing is changed. A row that says what stands already changes nothing, so the same file may be sent again. The response is a stream of lines, each a JSON text; who hangs up ends it. With `background` it goes on as a job, after the rows were checked.',
    querystring: BackgroundQuery,
    ...bodyCheckedAs(IMPORT_FILE, Type.Unknown()),
    response: longWorkResponses(ImportLine),
    errors: [...BODY_ERRORS, 'overrides_invalid', 'busy'],
    handle: async ({ gameId, publishedVersion, admin, query, body, reply, actorNow }) => {
      if (typeof body !== 'string')
        throw new ApiError('body_invalid', { message: 'Send the file as text/csv.' });
      const actor = actorNow();
      const reading = readOverrideFile(body, actor.nowMs);
      const rows = await checkOverrides(ctx.pool, { gameId, publishedVersion }, reading);
      if (rows.length > 0) throw new ApiError('overrides_invalid', { details: { rows } });
      return startLongWork(ctx, reply, {
        query,
        slot: semaphore.of(admin.tenantId),
        job: { gameId, kind: 'override_import', subject: { rows: reading.rows.length }, actor },
        asJob: ({ signal, tell }) =>
          importOverrides(ctx.pool, gameId, reading.rows, {
            actor,
            signal,
            onProgress: ({ set, cleared, unchanged, total }) =>
              tell({ done: set + cleared + unchanged, total }),
          }),
        what: 'an import of overrides',
        async asLines({ signal, write, tell }) {
          const options = { actor, signal, onProgress: tell };
          write({ result: await importOverrides(ctx.pool, gameId, reading.rows, options) });
        },
      });
    },
  });
}
