import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSlug } from '../../platform/admin-api/tenants.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { prepareError, toApiError } from '../../platform/http/error-handler.js';
import type { RateLimits } from '../../platform/http/rate-limits.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { findPageGame, findPlayerOfCode, type PageGame } from './code-queries.js';
import { readCode } from './erasure-code.js';
import { codePage, confirmPage, PAGE_HEADERS, problemPage, requestedPage } from './erasure-page.js';
import { requestErasure } from './request-erasure.js';

export type ErasurePageContext = Readonly<{
  pool: Pool;
  clock: Clock;
  rateLimits: Pick<RateLimits, 'codeGuesses'>;
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
  const { codeGuesses } = ctx.rateLimits;
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
  const playerOf = async ({ gameId }: PageGame, code: string): Promise<string | undefined> => {
    const codeHash = (await ctx.erasureHashes()).code(gameId, code);
    return findPlayerOfCode(ctx.pool, gameId, codeHash, ctx.clock.now());
  };
  const send = (reply: FastifyReply, page: string) => reply.headers(PAGE_HEADERS).send(page);

  app.get(PAGE, routeOptions, async (request, reply) => send(reply, codePage(await gameOf(request))));

  app.post(PAGE, routeOptions, async (request, reply) => {
    const game = await gameOf(request);
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const typed = form.get('code') ?? '';
    const code = readCode(typed);
    const refuse = () => send(reply.code(422), codePage(game, typed.slice(0, 40)));
    // Too short or too long: it is no guess, and takes no try from a person who mistypes.
    if (code === undefined) return refuse();
    const undoCount = codeGuesses.take(request.ip, game.gameId);
    const userId = await playerOf(game, code).catch((error: unknown) => {
      // It was not looked up.
      undoCount();
      throw error;
    });
    if (userId === undefined) return refuse();
    undoCount();
    if (form.get('confirm') !== 'yes') return send(reply, confirmPage(game, code));
    const erasure = await requestErasure(ctx.pool, await ctx.erasureHashes(), {
      gameId: game.gameId,
      userId,
      by: { name: ACTOR, nowMs: ctx.clock.now() },
    });
    // Another request was faster, and the player is erased already.
    if (erasure === undefined) return refuse();
    return send(reply, requestedPage(game, erasure));
  });
}
