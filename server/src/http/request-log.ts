import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Every answer is logged by route and ids, never by content: only refusals unless somebody wants to see it all. */
export function logAnswer(
  logger: Logger,
  request: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
  who: Readonly<Record<string, unknown>>,
): void {
  const level = statusCode >= 400 ? 'info' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  logger[level](
    {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: statusCode,
      ms: Math.round(elapsedTime * 10) / 10,
      ...who,
    },
    'request',
  );
}
