import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckedEvent, UNKNOWN_SOURCE } from '../../../src/core/events/intake/event-record.js';
import { connectToNats, type QueueSession } from '../../../src/operations/queue/connection.js';
import { recordsOf } from '../../support/event-records.js';
import { adImpression, createHarness, type Harness, type Session } from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import {
  addQueuedNode,
  encodeOne,
  expectApplied,
  expectDrained,
  publishRaw,
  type QueuedNode,
} from '../../support/queue-harness.js';

const NOBODY = '019f0000-0000-7000-8000-000000000000';

describe.skipIf(NATS_SERVER === undefined)(`a message that cannot be applied${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let session: QueueSession;
  let node: QueuedNode | undefined;
  // With more of them, the guilty player could be alone in theirs.
  const nats = () => server.config('POISON', { partitions: 1 });

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    // Makes the stream and leaves it to the test to fill it before anybody consumes.
    await (await addQueuedNode(harness, { ...nats(), consume: false })).close();
    session = await connectToNats(nats(), 'test');
  });
  afterAll(async () => {
    await node?.close();
    await session?.nc.close();
    await harness?.close();
    await server?.dispose();
  });

  const eventsOf = async (player: Session, from: number, count: number): Promise<CheckedEvent[]> => {
    const sent = Array.from({ length: count }, (_, n) =>
      adImpression(from + n, harness.clock.now() - n * 1000),
    );
    return (await recordsOf(harness, player, sent)).map(
      ({ playerId: _, gameId: __, installId: ___, clientBuild: ____, ...event }) => event,
    );
  };
  const send = async (userId: string, events: CheckedEvent[]) =>
    publishRaw(
      session,
      nats(),
      userId,
      encodeOne({ kind: 'events', userId, source: UNKNOWN_SOURCE, events, rejectedSequences: [] }),
    );
  const sendBytes = (userId: string, body: Buffer) =>
    publishRaw(session, nats(), userId, { id: createHash('sha256').update(body).digest('hex'), body });
  const inbox = async (code: string) =>
    (
      await harness.pool.query(
        `select player_id as "playerId", event_type as "eventType", message, raw from failed_events
         where code = $1 order by id`,
        [code],
      )
    ).rows;

  it('ends in the inbox, alone: its neighbours of the same partition, group and message are applied', async () => {
    const players = await Promise.all(['a', 'b', 'c', 'd'].map((name) => harness.login(`poison-${name}`)));
    const [guilty] = players as [Session, ...Session[]];
    for (const player of players) await send(player.userId, await eventsOf(player, 0, 5));

    const events = await eventsOf(guilty, 100, 9);
    const bad = events[4] as CheckedEvent;
    // Past every check of ours, and still nothing that jsonb can hold.
    bad.payloadJson = '{"text":"\\u0000"}';
    await send(guilty.userId, events);
    await send(NOBODY, await eventsOf(guilty, 200, 2));
    await sendBytes(guilty.userId, Buffer.from('{"v":1,"kind":"events","userId":'));
    await sendBytes(guilty.userId, Buffer.from([0xff, 0x00, 0x41]));
    await sendBytes(
      guilty.userId,
      Buffer.from(JSON.stringify({ v: 2, kind: 'events', userId: guilty.userId, events: [] })),
    );
    for (const player of players) await send(player.userId, await eventsOf(player, 300, 5));

    node = await addQueuedNode(harness, nats());
    await expectApplied(harness.pool, nats(), guilty.userId, 5 + 8 + 5);
    for (const player of players.slice(1)) await expectApplied(harness.pool, nats(), player.userId, 10);

    const failed = await inbox('apply_failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      eventType: 'Ad_Impression',
      message: expect.stringMatching(/^PostgreSQL refused it: .*unsupported Unicode escape sequence/),
    });
    expect(JSON.parse(failed[0].raw)).toMatchObject({
      eventType: 'Ad_Impression',
      payload: { text: '\u0000' },
      metadata: { osName: 'Android' },
    });
    expect(await inbox('player_unknown')).toEqual([
      {
        playerId: '0',
        eventType: 'Ad_Impression',
        message: `There is no player ${NOBODY}.`,
        raw: expect.any(String),
      },
      {
        playerId: '0',
        eventType: 'Ad_Impression',
        message: `There is no player ${NOBODY}.`,
        raw: expect.any(String),
      },
    ]);
    expect((await inbox('message_invalid')).map(({ raw }) => raw).sort()).toEqual(
      [
        '{"v":1,"kind":"events","userId":',
        '\ufffd\ufffdA',
        JSON.stringify({ v: 2, kind: 'events', userId: guilty.userId, events: [] }),
      ].sort(),
    );
  });

  it('is not tried for ever: the stream is empty, and a repeat adds nothing to the inbox', async () => {
    await expectDrained(nats());
    const before = (await harness.pool.query('select count(*)::int as n from failed_events')).rows[0].n;
    const player = await harness.login('poison-a');
    const events = await eventsOf(player, 100, 9);
    (events[4] as CheckedEvent).payloadJson = '{"text":"\\u0000"}';
    // Another message with the same poison: the stream does not know it, the inbox does.
    await send(player.userId, events.slice(3));
    await expectDrained(nats());
    expect((await harness.pool.query('select count(*)::int as n from failed_events')).rows[0].n).toBe(before);
    await expectApplied(harness.pool, nats(), player.userId, 18);
  });
});
