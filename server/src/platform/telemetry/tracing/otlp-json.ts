/** One span as it is kept until it is sent. Times are milliseconds since 1970. */
export type Span = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  kind: 'server' | 'client';
  startMs: number;
  endMs: number;
  attributes: Readonly<Record<string, string | number>>;
  isError: boolean;
}>;

/** As the protocol numbers them. */
const KINDS = { server: 2, client: 3 };
const ERROR = 2;

/** https://opentelemetry.io/docs/specs/otlp, the JSON form. */
export function otlpBody(serviceName: string, spans: readonly Span[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': serviceName }) },
        scopeSpans: [{ scope: { name: 'savepoint' }, spans: spans.map(spanJson) }],
      },
    ],
  });
}

function spanJson(span: Span) {
  const { traceId, spanId, parentSpanId, name } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: attributes(span.attributes),
    status: span.isError ? { code: ERROR } : {},
  };
}

function attributes(values: Readonly<Record<string, string | number>>) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** As text: nanoseconds since 1970 are more than a number holds exactly. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}
