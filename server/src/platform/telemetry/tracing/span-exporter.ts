import type { Logger } from 'pino';
import { otlpBody, type Span } from './otlp-json.js';

/** Some seconds of a busy worker. More than that is dropped, so that a collector that is away costs no memory. */
const MAX_WAITING = 4_096;
const MAX_PER_REQUEST = 512;
const INTERVAL_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** For all that waits when the process stops. */
const CLOSE_MS = 2_000;
const LOG_PAUSE_MS = 60_000;
const TOO_SLOW = 'the collector did not respond in time';

export type SpanExporter = Readonly<{ add(span: Span): void; close(): Promise<void> }>;

type Options = Readonly<{
  /** The address of the collector, without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  logger: Logger;
}>;

/**
 * Sends spans to a collector, some hundred at a time, one request after the other. Nothing waits for it. What does not fit into the
 * queue is dropped, and so is what a request failed to deliver: traces are samples.
 */
export function createSpanExporter({ endpoint, headers, serviceName, logger }: Options): SpanExporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let request: AbortController | undefined;
  let isOver = false;
  let dropped = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  const send = async (spans: readonly Span[]): Promise<void> => {
    const sent = new AbortController();
    const timeout = setTimeout(() => sent.abort(new Error(TOO_SLOW)), TIMEOUT_MS);
    request = sent;
    let failure: Error | undefined;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: otlpBody(serviceName, spans),
        signal: sent.signal,
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the collector responded ${response.status}`);
    } catch (error) {
      dropped += spans.length;
      failure = error as Error;
    } finally {
      clearTimeout(timeout);
    }
    if (dropped > 0) logDropped(failure);
  };
  const logDropped = (error?: Error): void => {
    if (performance.now() - loggedAt < LOG_PAUSE_MS) return;
    loggedAt = performance.now();
    logger.warn(
      { err: error, dropped },
      'spans were dropped: the collector did not take them, or too slowly',
    );
    dropped = 0;
  };
  const sendWaiting = async (): Promise<void> => {
    while (waiting.length > 0 && !isOver) {
      const spans = waiting.slice(0, MAX_PER_REQUEST);
      waiting = waiting.slice(MAX_PER_REQUEST);
      await send(spans);
    }
  };
  const flush = (): Promise<void> => {
    sending ??= sendWaiting().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  const timer = setInterval(() => void flush(), INTERVAL_MS).unref();
  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push(span);
    },
    async close() {
      clearInterval(timer);
      // A collector that hangs must not hold up the end of the process.
      const giveUp = setTimeout(() => {
        isOver = true;
        dropped += waiting.length;
        request?.abort(new Error(TOO_SLOW));
      }, CLOSE_MS);
      await flush();
      clearTimeout(giveUp);
    },
  };
}
