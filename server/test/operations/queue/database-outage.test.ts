import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGeneralError } from '../../support/data-calls.js';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, eventCount, expectApplied, type QueuedNode } from '../../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`a database that is away${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let proxy: DatabaseProxy;
  let node: QueuedNode;
  const nats = () => server.config('DATABASE_OUTAGE');

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    proxy = await startDatabaseProxy(harness.databaseUrl);
    node = await addQueuedNode(harness, nats(), proxy.url);
  });
  afterEach(() => proxy.restore());
  afterAll(async () => {
    await node?.close();
    await proxy?.close();
    await harness?.close();
    await server?.dispose();
  });

  const send = (session: Session, n: number) =>
    postEvents(node.app, session, [adImpression(n, harness.clock.now() - n * 1000)]);

  it('does not stop the intake; events are applied when it is back, by themselves', async () => {
    const session = await harness.login('cut');
    await send(session, 0);
    await expectApplied(harness.pool, nats(), session.userId, 1);

    await proxy.cut();
    for (let n = 1; n <= 20; n++) {
      const response = await send(session, n);
      expect(response.statusCode, response.body).toBe(202);
      expect(response.json().data).toEqual({ accepted: 1, rejected: [] });
    }
    expect(await eventCount(harness.pool, session.userId)).toBe(1);
    await proxy.restore();
    await expectApplied(harness.pool, nats(), session.userId, 21);
  });

  it('that drops every packet costs the first request a second, and the next ones nothing', async () => {
    const session = await harness.login('silent');
    await send(session, 0);
    await expectApplied(harness.pool, nats(), session.userId, 1);

    proxy.silence();
    const timed = async (n: number): Promise<number> => {
      const begun = performance.now();
      expect((await send(session, n)).statusCode).toBe(202);
      return performance.now() - begun;
    };
    // The database itself would be waited for longer.
    expect(await timed(1)).toBeLessThan(60_000);
    const times: number[] = [];
    for (let n = 2; n < 52; n++) times.push(await timed(n));
    // Some may look whether the database is back, or meet a busy machine. Otherwise each of them would wait for a second.
    expect(Math.min(...times)).toBeLessThan(900);
    await proxy.restore();
    await expectApplied(harness.pool, nats(), session.userId, 52);
  });

  it('keeps bad events, too, for the inbox', async () => {
    const session = await harness.login('bad');
    await proxy.cut();
    const response = await postEvents(node.app, session, [
      { eventType: 'No_Payload', timestamp: '2026-01-01T00:00:00Z' },
    ]);
    expect(response.statusCode).toBe(400);
    await proxy.restore();
    await expect
      .poll(
        async () =>
          (await harness.pool.query("select code from failed_events where event_type = 'No_Payload'")).rows,
      )
      .toEqual([{ code: 'payload_invalid' }]);
  });

  it('does not open the door: a token must be ours, unexpired, and agree with the headers', async () => {
    const session = await harness.login('door');
    await proxy.cut();
    const events = [adImpression(1, harness.clock.now())];
    const forged = {
      ...session,
      headers: { ...session.headers, authorization: `${session.headers.authorization}x` },
    };
    expect((await postEvents(node.app, forged, events)).statusCode).toBe(401);
    const elsewhere = { ...session, headers: { ...session.headers, 'x-tenant-id': 'other' } };
    expectGeneralError(await postEvents(node.app, elsewhere, events), 403, 'tenant_mismatch');
    const before = harness.clock.now();
    harness.clock.advance(3_601_000);
    const expired = await postEvents(node.app, session, events);
    harness.clock.set(before);
    expect(expired.statusCode).toBe(401);
  });

  it('lets an ended session send events, and nothing else, until it is back: then 401 again', async () => {
    const session = await harness.login('ended');
    await harness.app.inject({ method: 'POST', url: '/auth/logout', headers: session.headers });
    // For up to a second after an outage nobody is asked.
    await expect.poll(async () => (await send(session, 1)).statusCode).toBe(401);
    await proxy.cut();
    expect((await send(session, 2)).statusCode).toBe(202);
    const status = await node.app.inject({
      method: 'GET',
      url: '/v1/player/status',
      headers: session.headers,
    });
    expectGeneralError(status, 503, 'unavailable');
    await proxy.restore();
    await expect.poll(async () => (await send(session, 3)).statusCode).toBe(401);
  });

  it('is a 503 on a node without a queue', async () => {
    const session = await harness.login('direct');
    const direct = await addQueuedNode(harness, undefined, proxy.url);
    await proxy.cut();
    const response = await postEvents(direct.app, session, [adImpression(1, harness.clock.now())]);
    expectGeneralError(response, 503, 'unavailable');
    await direct.close();
  });
});
