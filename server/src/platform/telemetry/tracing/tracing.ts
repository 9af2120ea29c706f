import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Settings } from '../../settings/settings.js';
import { createSpanExporter, type SpanExporter } from './span-exporter.js';
import { newSpanId, newTraceId, parseTraceparent } from './trace-context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined without tracing, and for a request that is not sampled. */
    trace: RequestTrace | undefined;
  }
}

export type RequestTrace = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  startMs: number;
}>;

/** Spans of requests and of their statements, sent to a collector (ADR 0062). */
export type Tracing = Readonly<{
  /** For routes that are registered after this. */
  traceRequests(app: FastifyInstance): void;
  /** A statement that serves several requests is a span of the request that began the group. */
  watchStatement(statement: string): (error?: Error) => void;
  close(): Promise<void>;
}>;

const NO_ROUTE = 'unknown';
const MAX_STATEMENT_LENGTH = 500;
const SERVER_ERROR = 500;

/** Undefined without a collector in the settings: then nothing of this runs. */
export function createTracing(
  { tracesEndpoint, tracesHeaders, tracesServiceName, tracesRatio }: Settings,
  logger: Logger,
): Tracing | undefined {
  if (tracesEndpoint === undefined) return undefined;
  const exporter = createSpanExporter({
    endpoint: tracesEndpoint,
    headers: tracesHeaders,
    serviceName: tracesServiceName,
    logger,
  });
  const current = new AsyncLocalStorage<RequestTrace>();
  return {
    traceRequests: (app) => addHooks(app, exporter, current, tracesRatio),
    watchStatement: (statement) => watchStatement(statement, exporter, current.getStore()),
    close: exporter.close,
  };
}

function addHooks(
  app: FastifyInstance,
  exporter: SpanExporter,
  current: AsyncLocalStorage<RequestTrace>,
  ratio: number,
): void {
  app.decorateRequest('trace', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = beginTrace(request, ratio);
    if (request.trace === undefined) done();
    else current.run(request.trace, done);
  });
  // Again: the body arrives in the context of the connection, not of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.trace === undefined) done();
    else current.run(request.trace, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { trace, method } = request;
    if (trace !== undefined) {
      const route = request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE);
      exporter.add({
        ...trace,
        name: `${method} ${route}`,
        kind: 'server',
        endMs: nowMs(),
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': reply.statusCode,
          'savepoint.request_id': request.id,
        },
        isError: reply.statusCode >= SERVER_ERROR,
      });
    }
    done();
  });
}

/** Whoever called decides whether the request is sampled; without a caller the setting does. */
function beginTrace({ headers }: FastifyRequest, ratio: number): RequestTrace | undefined {
  const parent = parseTraceparent(headers.traceparent);
  const isSampled = parent?.isSampled ?? Math.random() < ratio;
  if (!isSampled) return undefined;
  return {
    traceId: parent?.traceId ?? newTraceId(),
    spanId: newSpanId(),
    parentSpanId: parent?.spanId,
    startMs: nowMs(),
  };
}

function watchStatement(
  statement: string,
  exporter: SpanExporter,
  parent: RequestTrace | undefined,
): (error?: Error) => void {
  // Of a request that is not sampled, or of the service itself.
  if (parent === undefined) return () => {};
  const startMs = nowMs();
  return (error) => {
    const text = statement.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH);
    exporter.add({
      traceId: parent.traceId,
      spanId: newSpanId(),
      parentSpanId: parent.spanId,
      name: text.split(' ', 1)[0] ?? text,
      kind: 'client',
      startMs,
      endMs: nowMs(),
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': text },
      isError: error !== undefined,
    });
  };
}

/** The time of day with fractions of a millisecond, by the machine: for durations, and for people who read a trace. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
