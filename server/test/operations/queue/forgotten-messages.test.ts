import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueSession } from '../../../src/operations/queue/connection.js';
import {
  consumerOf,
  ensureConsumer,
  ensureStream,
  recallForgottenMessages,
  subjectOf,
} from '../../../src/operations/queue/stream.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { withSession } from '../../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`messages that NATS has forgotten${NEEDS_NATS}`, () => {
  let server: NatsServer;
  const nats = () => server.config('FORGOTTEN');
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server?.dispose());

  /** The server tells its consumers of a message a moment after it has accepted the message. */
  async function publish({ js, jsm }: QueueSession, partition: number, text: string): Promise<void> {
    const { stream } = nats();
    await js.publish(subjectOf(stream, partition), text);
    const known = async () => (await jsm.consumers.info(stream, consumerOf(partition))).num_pending;
    await expect.poll(known, { timeout: 60_000 }).toBe(1);
  }

  it('are delivered again by a new consumer, once it is clear that the old one never will', () =>
    withSession(nats(), async (session) => {
      const { js, jsm } = session;
      const { stream } = nats();
      await ensureStream(jsm, nats());
      const [subject, name] = [subjectOf(stream, 0), consumerOf(0)];
      // The only way to make a sound server forget: it may deliver once, and nobody acknowledges.
      await jsm.consumers.add(stream, {
        durable_name: name,
        filter_subject: subject,
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(200),
        max_deliver: 1,
      });
      await publish(session, 0, 'promised');
      expect(await recallForgottenMessages(jsm, stream, 0)).toBe(false);
      for await (const message of await (await js.consumers.get(stream, name)).fetch({ max_messages: 1 })) {
        expect(message.string()).toBe('promised');
      }
      const lastPull = async (): Promise<number> => {
        const pulled = await (await js.consumers.get(stream, name)).fetch({
          max_messages: 1,
          expires: 1_000,
        });
        for await (const message of pulled) throw new Error(`delivered again: ${message.seq}`);
        return (await jsm.consumers.info(stream, name)).num_ack_pending;
      };
      await expect.poll(lastPull, { timeout: 60_000 }).toBe(0);

      expect(await recallForgottenMessages(jsm, stream, 0)).toBe(true);
      for await (const message of await (await js.consumers.get(stream, name)).fetch({ max_messages: 1 })) {
        expect(message.string()).toBe('promised');
        await message.ackAck();
      }
      expect((await jsm.streams.info(stream)).state.messages).toBe(0);
      expect(await recallForgottenMessages(jsm, stream, 0)).toBe(false);
    }));

  it('are not looked for among those that are waiting or being worked on', () =>
    withSession(nats(), async (session) => {
      const { js, jsm } = session;
      const { stream } = nats();
      await ensureConsumer(jsm, stream, 1);
      await publish(session, 1, 'waiting');
      expect(await recallForgottenMessages(jsm, stream, 1)).toBe(false);
      const consumer = await js.consumers.get(stream, consumerOf(1));
      for await (const message of await consumer.fetch({ max_messages: 1 })) {
        expect(await recallForgottenMessages(jsm, stream, 1)).toBe(false);
        await message.ackAck();
      }
    }));
});
