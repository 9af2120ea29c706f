import { describe, expect, it } from 'vitest';
import { otlpBody } from '../../../../src/platform/telemetry/tracing/otlp-json.js';
import {
  newSpanId,
  newTraceId,
  parseTraceparent,
} from '../../../../src/platform/telemetry/tracing/trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`, true],
  ])('%s is read', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    [undefined],
    [''],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`00-${TRACE}-${SPAN}`],
    [[`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ])('%s begins a new trace', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it('is made of ids that are valid', () => {
    const header = `00-${newTraceId()}-${newSpanId()}-01`;
    expect(parseTraceparent(header)).toBeDefined();
  });
});

it('a span has its times in whole nanoseconds as text', () => {
  const span = {
    traceId: TRACE,
    spanId: SPAN,
    name: 'GET /v1/player/status',
    kind: 'server' as const,
    startMs: 1_795_000_000_123.25,
    endMs: 1_795_000_000_124,
    attributes: { 'http.route': '/v1/player/status', 'http.response.status_code': 200 },
    isError: false,
  };
  const [resource] = JSON.parse(otlpBody('game', [span])).resourceSpans;
  expect(resource.resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'game' } }]);
  expect(resource.scopeSpans[0].spans).toEqual([
    {
      traceId: TRACE,
      spanId: SPAN,
      name: 'GET /v1/player/status',
      kind: 2,
      startTimeUnixNano: '1795000000123250000',
      endTimeUnixNano: '1795000000124000000',
      attributes: [
        { key: 'http.route', value: { stringValue: '/v1/player/status' } },
        { key: 'http.response.status_code', value: { intValue: '200' } },
      ],
      status: {},
    },
  ]);
});
