import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSlug } from '../../admin/tenants.js';
import type { Pool } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { prepareError, toApiError } from '../../http/error-handler.js';
import type { RateLimits } from '../../http/rate-limits.js';
import type { Clock } from '../../lib/clock.js';
import type { ErasureHashes } from '../../security/erasure-hashes.js';
import { findPageGame, findPlayerOfCode, type PageGame } from './code-queries.js';
import { readCode } from './erasure-code.js';
import { codePage, confirmPage, PAGE_HEADERS, problemPage, requestedPage } from './erasure-page.js';
import { requestErasure } from './request-erasure.js';

export type ErasurePageContext = Readonly<{
  pool: Pool;
  clock: Clock;
  rateLimits: Pick<RateLimits, 'addressGuesses' | 'gameGuesses'>;
  erasureHashes: () => Promise<ErasureHashes>;
}>;

const PAGE = '/erase/:tenant/:game';
/** Who asked, in the request and in the audit log. */
const ACTOR = 'hosted page';
/** Longer than a form with a code. */
const BODY_LIMIT = 1_024;

type Parameters = { tenant: string; game: string };

/** A public page per game, which a studio turns on. The code is the only credential, so a form of another site can do no harm. */
export function erasurePageRoutes(app: FastifyInstance, ctx: ErasurePageContext): void {
  const { addressGuesses, gameGuesses } = ctx.rateLimits;
  const routeOptions = { bodyLimit: BODY_LIMIT, schema: { hide: true } };

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => new URLSearchParams(text),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toApiError(error);
    prepareError(problem, request, reply);
    return reply.headers(PAGE_HEADERS).send(problemPage(problem.message));
  });

  const gameOf = async (request: FastifyRequest): Promise<PageGame> => {
    const { tenant, game } = request.params as Parameters;
    const found = isSlug(tenant) && isSlug(game) ? await findPageGame(ctx.pool, tenant, game) : undefined;
    if (found === undefined) throw new ApiError('not_found');
    return found;
  };
  const send = (reply: FastifyReply, page: string) => reply.headers(PAGE_HEADERS).send(page);

  app.get(PAGE, routeOptions, async (request, reply) => send(reply, codePage(await gameOf(request))));

  app.post(PAGE, routeOptions, async (request, reply) => {
    const game = await gameOf(request);
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const typed = form.get('code') ?? '';
    const code = readCode(typed);
    // Counted before the look-up, so that guesses at the same time count as well. A right code is given back.
    addressGuesses.take(request.ip);
    gameGuesses.take(String(game.gameId));
    const hashes = await ctx.erasureHashes();
    const nowMs = ctx.clock.now();
    const userId =
      code && (await findPlayerOfCode(ctx.pool, game.gameId, hashes.code(game.gameId, code), nowMs));
    if (!code || !userId) return send(reply.code(422), codePage(game, typed.slice(0, 40)));
    addressGuesses.giveBack(request.ip, 1);
    gameGuesses.giveBack(String(game.gameId), 1);
    if (form.get('confirm') !== 'yes') return send(reply, confirmPage(game, code));
    const erasure = await requestErasure(ctx.pool, hashes, {
      gameId: game.gameId,
      userId,
      by: { name: ACTOR, nowMs },
    });
    // Another request was faster, and the player is erased already.
    if (erasure === undefined) return send(reply.code(422), codePage(game, typed));
    return send(reply, requestedPage(game, erasure));
  });
}
