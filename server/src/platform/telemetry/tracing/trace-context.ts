import { randomBytes } from 'node:crypto';

/** https://www.w3.org/TR/trace-context: version, trace, span, flags. Later versions may append fields. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const VERSION_0_LENGTH = 55;
const SAMPLED = 1;

export type TraceParent = Readonly<{ traceId: string; spanId: string; isSampled: boolean }>;

/** Undefined if the header is missing or not valid: then a new trace begins. */
export function parseTraceparent(header: string | string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (header.startsWith('00') && header.length !== VERSION_0_LENGTH) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');
