import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../../support/data-calls.js';
import { type CollectedSpan, startCollector } from '../../../support/fake-collector.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../../support/harness.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
/** Well below the time that a test has. */
const DELIVERED_WITHIN_MS = 120_000;

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    collector = await startCollector();
    harness = await createHarness();
    session = await harness.login('traced');
  });
  afterAll(async () => {
    await harness.close();
    await collector.stop();
  });
  /** What a node with these settings has sent when it is closed, which sends the rest. */
  const spansOf = async (
    settings: Parameters<Harness['addNode']>[0],
    work: (node: Awaited<ReturnType<Harness['addNode']>>) => Promise<unknown>,
  ): Promise<CollectedSpan[]> => {
    const before = collector.spans.length;
    const node = await harness.addNode({ tracesEndpoint: `${collector.url}/`, ...settings });
    await work(node);
    await node.ctx.tracing?.close();
    return collector.spans.slice(before);
  };
  /** Sends again what was lost: a node that closes gives a collector two seconds, in which a busy machine may do nothing. */
  const deliveredSpansOf: typeof spansOf = async (settings, work) => {
    const deadline = performance.now() + DELIVERED_WITHIN_MS;
    for (;;) {
      const spans = await spansOf(settings, work);
      if (spans.some(({ kind }) => kind === 2) || performance.now() > deadline) return spans;
    }
  };
  const attributesOf = ({ attributes }: CollectedSpan) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
    );

  it('keep the trace and the request id of the caller, and name the route and the statements', async () => {
    const spans = await deliveredSpansOf({ tracesHeaders: { authorization: 'Bearer abc' } }, ({ app }) =>
      get(app, '/v1/player/status', session, {
        traceparent: `00-${TRACE}-${PARENT}-01`,
        'x-request-id': 'from-the-game',
      }),
    );
    const request = spans.find(({ kind }) => kind === 2);
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      name: 'GET /v1/player/status',
      status: {},
    });
    expect(request && attributesOf(request)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/player/status',
      'http.response.status_code': 200,
      'savepoint.request_id': 'from-the-game',
    });
    const statements = spans.filter(({ kind }) => kind === 3);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
      expect(attributesOf(statement)).toMatchObject({ 'db.system.name': 'postgresql' });
    }
    expect(collector.requests.at(-1)).toMatchObject({
      url: '/v1/traces',
      headers: { authorization: 'Bearer abc', 'content-type': 'application/json' },
    });
  });

  it('of a request with a body hold the statements of its transaction, and nothing that was sent', async () => {
    const spans = await deliveredSpansOf({}, async ({ app }) => {
      const event = { ...adImpression(1, harness.clock.now()), payload: { note: 'secret-note' } };
      expect((await postEvents(app, session, [event])).statusCode).toBe(202);
    });
    const request = spans.find(({ name }) => name === 'POST /v1/events');
    expect(request?.parentSpanId).toBeUndefined();
    expect(spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId).length).toBeGreaterThan(3);
    const told = JSON.stringify(spans);
    expect(told).not.toContain('secret-note');
    expect(told).not.toContain(session.userId);
    expect(told).not.toContain(session.accessToken);
  });

  it('leave out what the caller or the setting does not sample, and never name an invented address', async () => {
    const unsampled = { traceparent: `00-${TRACE}-${PARENT}-00` };
    expect(await spansOf({}, ({ app }) => get(app, '/v1/player/status', session, unsampled))).toEqual([]);
    expect(await spansOf({ tracesRatio: 0 }, ({ app }) => get(app, '/v1/player/status', session))).toEqual(
      [],
    );
    const spans = await deliveredSpansOf({}, ({ app }) => app.inject({ url: '/invented' }));
    expect(spans.map(({ name }) => name)).toEqual(['GET unknown']);
  });

  it('are dropped while the collector is away, and requests work', async () => {
    const away = await startCollector();
    await away.stop();
    const spans = await spansOf({ tracesEndpoint: away.url }, async ({ app }) => {
      expect((await get(app, '/v1/player/status', session)).statusCode).toBe(200);
    });
    expect(spans).toEqual([]);
  });

  it('are off without a collector', async () => {
    expect(harness.ctx.tracing).toBeUndefined();
    expect(harness.app.hasRequestDecorator('trace')).toBe(false);
  });
});
