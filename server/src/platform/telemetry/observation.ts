import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { BulkHistogram } from './bulk-histogram.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Lasts for as long as somebody listens: timed until it begins, and counted then. */
    isLive?: boolean;
  }
}

type Options = {
  logger: Logger;
  times: BulkHistogram<'route' | 'method' | 'status'>;
  /** Who is asking, as far as it is known, for the log. */
  who: (request: FastifyRequest) => Readonly<Record<string, unknown>>;
};

const NO_ROUTE = 'unknown';

/**
 * Every response of the routes that are registered after this is counted and timed, and logged by route and ids, never by content:
 * only refusals unless somebody wants to see it all. What overload refuses is
 * logged when it begins and ends (shedding.ts), not one by one.
 */
export function observeResponses(app: FastifyInstance, { logger, times, who }: Options): void {
  const time = (route: string, { method }: FastifyRequest, reply: FastifyReply): void => {
    times.observe({ route, method, status: reply.statusCode }, reply.elapsedTime / 1000);
  };
  const log = (route: string, request: FastifyRequest, reply: FastifyReply): void => {
    if (request.isShed) return;
    const { method } = request;
    const { statusCode: status, elapsedTime } = reply;
    const level = status >= 400 ? 'info' : 'debug';
    if (!logger.isLevelEnabled(level)) return;
    const ms = Math.round(elapsedTime * 10) / 10;
    logger[level]({ requestId: request.id, method, route, status, ms, ...who(request) }, 'request');
  };

  // A hook of each route, which knows its name: asked for it, a request puts an object of twelve members together.
  app.addHook('onRoute', (route) => {
    const { url } = route;
    const isLive = route.config?.isLive === true;
    if (isLive) {
      route.onSend = [route.onSend ?? []].flat().concat((request, reply, _payload, done) => {
        time(url, request, reply);
        done();
      });
    }
    route.onResponse = [route.onResponse ?? []].flat().concat((request, reply, done) => {
      if (!isLive) time(url, request, reply);
      log(url, request, reply);
      done();
    });
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) {
      time(NO_ROUTE, request, reply);
      log(NO_ROUTE, request, reply);
    }
    done();
  });
}
