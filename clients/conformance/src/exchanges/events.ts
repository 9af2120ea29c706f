import { check, checkEqual, type Exchange, type Stage } from '../exchange.js';
import type { SentEvent } from '../service-model.js';

const LONG = 1_000;

const numbers = (events: readonly SentEvent[]) => events.map(({ payload }) => payload.n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

export const EVENTS: Exchange[] = [
  {
    name: 'event-contract',
    rule: 'An event has type, time, payload, metadata, an id of its own and a number; its metadata name the build. The request names the installation.',
    why: 'The service deduplicates by installation and number, and reports by build what arrives and what never does.',
    async play({ server, start }) {
      const client = await start({ build: '1.4.2', metadata: { osName: 'Android' } });
      const eventId = await client.track(
        'Level_Complete',
        { level: 12, ok: true, who: 'Zoë 🚀' },
        { locale: 'de' },
      );
      await client.flush();
      const [request] = server.to('/v1/events');
      const [{ timestamp, ...rest } = {} as SentEvent] = server.batches()[0] ?? [];
      checkEqual(
        rest,
        {
          eventType: 'Level_Complete',
          payload: { level: 12, ok: true, who: 'Zoë 🚀' },
          metadata: { clientBuild: '1.4.2', osName: 'Android', locale: 'de' },
          eventId,
          seq: 1,
        },
        'the event',
      );
      check(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp),
        `timestamp ${timestamp} has another form`,
      );
      check(/^.{1,64}$/.test(request?.headers['x-install-id'] ?? ''), 'X-Install-Id is missing or too long');
      checkEqual(request?.headers['x-client-build'], '1.4.2', 'X-Client-Build');
      check(
        /^application\/json/.test(request?.headers['content-type'] ?? ''),
        'Content-Type is not application/json',
      );
    },
  },
  {
    name: 'batches-by-count',
    rule: 'No request has more events than the batch may have. A full batch is sent without a flush.',
    why: 'The service refuses a batch of more than 500 events as a whole.',
    async play({ server, start, until }) {
      const client = await start({ batch: { events: 10, bytes: 60_000, seconds: LONG } });
      await client.login();
      server.isReachable = false;
      for (const n of upTo(23)) await client.track('Step', { n });
      await client.saved();
      server.isReachable = true;
      await until('two full batches have arrived', () => server.stored.length >= 20);
      await client.flush();
      await until('23 events have arrived', () => server.stored.length === 23);
      check(
        server.batches().every((events) => events.length <= 10),
        'a request has more than 10 events',
      );
      checkEqual(numbers(server.stored), upTo(23), 'order of the events');
    },
  },
  {
    name: 'batches-by-bytes',
    rule: 'No body is larger than the batch may be, counted in bytes of UTF-8.',
    why: 'The service refuses a body of more than 1 MiB as a whole; proxies may refuse less.',
    async play({ server, start }) {
      const client = await start({ batch: { events: 50, bytes: 10_000, seconds: LONG } });
      for (const n of upTo(20)) await client.track('Step', { n, text: 'ü'.repeat(1_000) });
      await client.flush();
      checkEqual(numbers(server.stored), upTo(20), 'events stored');
      const largest = Math.max(...server.to('/v1/events').map(({ bytes }) => bytes));
      check(largest <= 10_000, `a body has ${largest} bytes, more than 10,000`);
    },
  },
  {
    name: 'batches-by-time',
    rule: 'A batch that does not fill up is sent after the interval.',
    why: 'Otherwise the last events of a session wait for the next one.',
    async play({ server, start, until }) {
      const client = await start({ batch: { events: 50, bytes: 60_000, seconds: 1 } });
      await client.track('Step', { n: 0 });
      await until('the event has arrived', () => server.stored.length === 1);
    },
  },
  {
    name: 'rejected-in-batch',
    rule: 'An event that the service rejects is reported to the game once. No event of the batch is sent again.',
    why: 'A bad event would be bad again. It waits in the studio’s inbox.',
    async play({ server, start, until }) {
      const client = await start();
      for (const type of ['Step', 'Bad', 'Step']) await client.track(type, {});
      await client.flush();
      await until('the rejection is reported', () => client.rejected.length > 0);
      await client.track('Step', {});
      await client.flush();
      checkEqual(client.rejected, ['Bad payload_invalid'], 'events reported to the game');
      checkEqual(
        server.batches().map((events) => events.map(({ seq }) => seq)),
        [[1, 2, 3], [4]],
        'numbers sent',
      );
    },
  },
  {
    name: 'all-rejected',
    rule: 'A 400 with a code of the service means: do not send this batch again.',
    why: 'A batch that the service never accepts must not block the next batches.',
    async play({ server, start, until }) {
      const client = await start();
      await client.track('Bad', {});
      await client.flush();
      await client.track('Step', {});
      await client.flush();
      await until('the rejection is reported', () => client.rejected.length > 0);
      checkEqual(client.rejected, ['Bad payload_invalid'], 'events reported to the game');
      checkEqual(
        server.batches().map((events) => events.map(({ eventType }) => eventType)),
        [['Bad'], ['Step']],
        'requests',
      );
    },
  },
  {
    name: 'event-too-large',
    rule: 'An event over 32 KiB is reported to the game as `event_too_large`, and never sent. `track` does not fail.',
    why: 'The service refuses such an event, and a crash in the middle of a game is worse than a lost event.',
    async play({ server, start, until }) {
      const client = await start();
      await client.track('Huge', { text: 'x'.repeat(40_000) });
      await client.track('Step', {});
      await client.flush();
      await until('the rejection is reported', () => client.rejected.length > 0);
      checkEqual(client.rejected, ['Huge event_too_large'], 'events reported to the game');
      checkEqual(
        server.stored.map(({ eventType, seq }) => [eventType, seq]),
        [['Step', 1]],
        'events stored',
      );
    },
  },
  {
    name: 'order-kept',
    rule: 'Batches are sent one at a time, oldest first: a batch that fails is not overtaken.',
    why: 'The order of the numbers is the order of what happened.',
    async play({ server, start, until }) {
      const client = await start({ batch: { events: 5, bytes: 60_000, seconds: LONG } });
      await client.login();
      server.script('/v1/events', { kind: 'cut before' }, { kind: 'respond', status: 500, text: 'oops' });
      for (const n of upTo(20)) await client.track('Step', { n });
      await client.flush();
      await until('all events have arrived', () => server.stored.length === 20);
      checkEqual(numbers(server.stored), upTo(20), 'order of the events');
      checkEqual(
        server.stored.map(({ seq }) => seq),
        upTo(20).map((n) => n + 1),
        'numbers',
      );
    },
  },
  {
    name: 'storage-full',
    rule: 'When the storage is full, the oldest ads are dropped and reported to the game. Other events stay while there are ads.',
    why: 'A phone that is offline for weeks must not fill up. Ads are the most frequent events and the least valuable ones.',
    async play(stage) {
      const types = [
        ...Array(10).fill('Step'),
        ...Array(60).fill('Ad_Impression'),
        ...Array(10).fill('Purchase'),
      ];
      const left = await fillStorage(stage, types);
      checkEqual(left('Step'), upTo(10), 'other events stored');
      checkEqual(left('Purchase').length, 10, 'purchases stored');
      const ads = left('Ad_Impression');
      check(ads.length > 0, 'no ad is left, though there was space');
      checkEqual(ads, upTo(70).slice(-ads.length), 'the newest ads');
    },
  },
  {
    name: 'storage-full-of-others',
    rule: 'Where dropping ads is not enough, the oldest other events are dropped, and purchases never.',
    why: 'Purchases matter most to the studio.',
    async play(stage) {
      const types = upTo(90).map((n) => ['Ad_Impression', 'Purchase', 'Step'][n % 3] as string);
      const left = await fillStorage(stage, types);
      checkEqual(left('Purchase').length, 30, 'purchases stored');
      const steps = left('Step');
      check(steps.length > 0, 'no other event is left, though there was space');
      const all = upTo(90).filter((n) => n % 3 === 2);
      checkEqual(steps, all.slice(-steps.length), 'the newest of the other events');
    },
  },
];

/** Tracks more than may be stored. Returns the numbers of the events of a type that arrived. */
async function fillStorage({ server, start, until }: Stage, types: readonly string[]) {
  server.isReachable = false;
  const client = await start({ maxStoredBytes: 20_000 });
  for (const [n, type] of types.entries()) await client.track(type, { n, pad: 'x'.repeat(200) });
  await client.saved();
  server.isReachable = true;
  await client.flush();
  const isTold = () => server.stored.length + client.rejected.length === types.length;
  await until('each event has arrived or was reported to the game as dropped', isTold);
  check(client.rejected.length > 0, 'nothing was dropped, though the storage was full');
  check(
    client.rejected.every((told) => told.endsWith(' storage_full')),
    'the code is not storage_full',
  );
  checkEqual(new Set(server.stored.map(({ installId }) => installId)).size, 1, 'installations');
  return (type: string) => numbers(server.stored.filter(({ eventType }) => eventType === type));
}
