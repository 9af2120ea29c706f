import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * A client may close its sending side once its request is sent (`nc -N`, `printf … | socat`, some embedded HTTP stacks). Node
 * then closes the whole connection and discards the response, unless this property of its HTTP server is set. With it, the
 * response to the last request is sent, and then the connection is closed. A request that is cut off in the middle is still
 * refused, and an idle connection is still closed.
 *
 * A client that is gone for good looks the same until something is sent to it: `socket.readableEnded` is true and no `close`
 * event comes. So the operations listener, where long work ends when its client hangs up, does not use this, and a batch of
 * events that waits in line under overload gets 503 instead of waiting on.
 */
export function allowHalfOpen(app: FastifyInstance): void {
  const server: Server & { httpAllowHalfOpen?: boolean } = app.server;
  server.httpAllowHalfOpen = true;
}
