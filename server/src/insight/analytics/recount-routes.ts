import type { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { writeJsonLines } from '../../studio/admin-api/json-lines.js';
import { linesOf, sendLines } from '../../studio/admin-api/long-work.js';
import { type Recount, type RecountProgress, recountGame } from './recount.js';
import { RollupCheckLine } from './recount-schemas.js';
import { recountInWords } from './recount-words.js';

/** A check of a large game takes minutes. */
const RETRY_AFTER_SECONDS = 60;
/** A check reads all events and sorts on disk: two at a time would take intake's share of the disk. No request waits for its turn. */
const CHECKS = { maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };
/** A large table is one step. A proxy would take the silence meanwhile for the end of the connection. */
const REPEAT_PROGRESS_MS = 10_000;
/** A screenful shows what is wrong, and values may be long. */
const MAX_DIFFERENCES = 200;

/** Counts the numbers of a game again, as `savepoint rollups check` does. */
export function recountRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');
  const semaphore = createFairSemaphore(CHECKS);

  routes.post('/admin/v1/games/:game/rollups/check', {
    role: 'owner',
    operationId: 'checkRollups',
    summary: 'Count everything again from the events, slowly, and list what differs',
    description:
      'Reads every event, which takes minutes for a large game. Changes nothing. A node runs one check at a time; another request gets `busy`. The response is a stream of lines of JSON. If the client disconnects, the check stops.',
    response: { 200: linesOf(RollupCheckLine) },
    errors: ['busy'],
    handle: async ({ gameId, admin, reply }) => {
      const slot = semaphore.of(admin.tenantId);
      return sendLines(reply, slot, (lines) => writeCheck(ctx, gameId, lines), RETRY_AFTER_SECONDS);
    },
  });
}

/** Runs until it is done or the client disconnects. */
function writeCheck({ pool, logger }: AdminContext, gameId: number, lines: PassThrough): Promise<void> {
  const what = 'a check of the roll-ups';
  return writeJsonLines(lines, { logger, what }, async ({ signal, write, tell }) => {
    let latest: RecountProgress | undefined;
    const repeat = setInterval(() => latest && tell(latest), REPEAT_PROGRESS_MS);
    const onProgress = (progress: RecountProgress) => {
      latest = progress;
      tell(progress);
    };
    try {
      write({ result: toResponse(await recountGame(pool, gameId, { signal, onProgress })) });
    } finally {
      clearInterval(repeat);
    }
  });
}

function toResponse({ differences, ...recount }: Recount) {
  return {
    message: recountInWords(recount).join(' '),
    ...recount,
    differences: differences
      .slice(0, MAX_DIFFERENCES)
      .map(({ recounted, ...difference }) => ({ ...difference, counted: recounted })),
  };
}
