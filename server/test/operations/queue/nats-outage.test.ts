import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGeneralError } from '../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectApplied, type QueuedNode } from '../../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`a NATS that is away${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let node: QueuedNode;
  const nats = () => server.config('NATS_OUTAGE');

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    node = await addQueuedNode(harness, nats());
  });
  afterAll(async () => {
    await node?.close();
    await harness?.close();
    await server?.dispose();
  });

  const send = (session: Session, n: number) =>
    postEvents(node.app, session, [adImpression(n, harness.clock.now() - n * 1000)]);

  it('is a 503 with Retry-After; the same batch is accepted when it is back, and counts once', async () => {
    const session = await harness.login('killed');
    expect((await send(session, 0)).statusCode).toBe(202);
    await expectApplied(harness.pool, nats(), session.userId, 1);

    await server.kill();
    expectGeneralError(await send(session, 1), 503, 'unavailable');
    // Once more, now that the connection is known to be lost.
    expectGeneralError(await send(session, 1), 503, 'unavailable');
    const status = await node.app.inject({
      method: 'GET',
      url: '/v1/player/status',
      headers: session.headers,
    });
    expect(status.statusCode, 'players are still served').toBe(200);

    await server.start();
    await expect.poll(async () => (await send(session, 1)).statusCode).toBe(202);
    await expectApplied(harness.pool, nats(), session.userId, 2);
  });

  it('does not take along what it had acknowledged: kill -9, and all of it is there again', async () => {
    const session = await harness.login('kept');
    const intake = await addQueuedNode(harness, { ...server.config('KEPT'), consume: false });
    for (let n = 0; n < 50; n++) {
      const response = await postEvents(intake.app, session, [adImpression(n, harness.clock.now() - n)]);
      expect(response.statusCode).toBe(202);
    }
    await server.kill();
    await server.start();
    const consuming = await addQueuedNode(harness, server.config('KEPT'));
    await expectApplied(harness.pool, server.config('KEPT'), session.userId, 50);
    await consuming.close();
    await intake.close();
  });

  it('that does not respond is a 503 in time, and what it took nevertheless counts once', async () => {
    const session = await harness.login('paused');
    server.pause();
    const begun = performance.now();
    const refused = await send(session, 5);
    const ms = performance.now() - begun;
    server.resume();
    expectGeneralError(refused, 503, 'unavailable');
    // Without a time limit of its own it would wait for as long as the server is paused.
    expect(ms).toBeLessThan(120_000);
    await expect.poll(async () => (await send(session, 5)).statusCode).toBe(202);
    await expectApplied(harness.pool, nats(), session.userId, 1);
  });

  it('that comes back without its stream gets it again', async () => {
    const session = await harness.login('emptied');
    await server.dispose();
    await server.start();
    await expect.poll(async () => (await send(session, 9)).statusCode).toBe(202);
    await expectApplied(harness.pool, nats(), session.userId, 1);
  });

  it('does not keep a node from starting: it serves players, and takes events once NATS is there', async () => {
    const session = await harness.login('late');
    await server.kill();
    const late = await addQueuedNode(harness, nats());
    expectGeneralError(
      await postEvents(late.app, session, [adImpression(1, harness.clock.now())]),
      503,
      'unavailable',
    );
    await server.start();
    await expect
      .poll(
        async () => (await postEvents(late.app, session, [adImpression(1, harness.clock.now())])).statusCode,
      )
      .toBe(202);
    await expectApplied(harness.pool, nats(), session.userId, 1);
    await late.close();
  });
});
