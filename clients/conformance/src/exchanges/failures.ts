import { check, checkEqual, type Exchange, type Stage } from '../exchange.js';
import type { Act } from '../scripted-server.js';

/** Timers may fire slightly early. */
const EARLY_MS = 50;

/** A batch gets `act`. The client has to send the batch again, unchanged and without being told to. */
async function sendAgain({ server, start, until }: Stage, act: Act): Promise<void> {
  const client = await start();
  await client.login();
  server.script('/v1/events', act);
  await client.track('Step', { n: 1 });
  await client.track('Step', { n: 2 });
  await client.flush();
  await client.track('Step', { n: 3 });
  await client.flush();
  await until('three events have arrived', () => server.stored.length === 3);
  const [first, again] = server.to('/v1/events');
  checkEqual(again?.body, first?.body, 'the batch when it is sent again');
  checkEqual(
    again?.headers['x-install-id'],
    first?.headers['x-install-id'],
    'X-Install-Id when it is sent again',
  );
  checkEqual(
    server.stored.map(({ seq, payload }) => [seq, payload.n]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
    'numbers of the events',
  );
  checkEqual(client.rejected, [], 'events reported to the game');
}

async function waitAsAsked(stage: Stage, status: number): Promise<void> {
  const body = {
    error: { code: status === 429 ? 'rate_limited' : 'overloaded', message: 'Try later.' },
    status: 'error',
  };
  await sendAgain(stage, { kind: 'respond', status, headers: { 'retry-after': '1' }, body });
  const [refused, again] = stage.server.to('/v1/events');
  const waitedMs = (again?.arrivedAtMs ?? 0) - (refused?.respondedAtMs ?? 0);
  check(
    waitedMs >= 1_000 - EARLY_MS,
    `sent again after ${Math.round(waitedMs)} ms; the service asked for 1 s`,
  );
}

export const FAILURES: Exchange[] = [
  {
    name: 'lost-response',
    rule: 'A batch whose response was lost is sent again with the same events, ids and numbers.',
    why: 'The service may have taken it. It recognises the batch by its numbers.',
    play: (stage) => sendAgain(stage, { kind: 'cut after' }),
  },
  {
    name: 'too-many-requests',
    rule: 'After a 429 nothing is sent before `Retry-After` is over, also if the game asks for a flush. Nothing is dropped.',
    why: 'A client that comes back early is refused again, and keeps all clients waiting.',
    play: (stage) => waitAsAsked(stage, 429),
  },
  {
    name: 'unavailable',
    rule: 'After a 503 nothing is sent before `Retry-After` is over. Nothing is dropped.',
    why: 'A service that restarts needs a moment without requests.',
    play: (stage) => waitAsAsked(stage, 503),
  },
  {
    name: 'no-network',
    rule: 'Without a network events wait. They are sent when the network is back, without a call of the game.',
    why: 'Phones are often offline, and for long.',
    async play({ server, start, until }) {
      server.isReachable = false;
      const client = await start();
      await client.track('Step', { n: 1 });
      await client.flush();
      await client.track('Step', { n: 2 });
      await client.saved();
      server.isReachable = true;
      await until('two events have arrived', () => server.stored.length === 2);
      checkEqual(
        server.stored.map(({ seq }) => seq),
        [1, 2],
        'numbers',
      );
      checkEqual(client.rejected, [], 'events reported to the game');
    },
  },
  {
    name: 'captive-portal',
    rule: 'A page of something else with status 200 is no acknowledgement.',
    why: 'The Wi-Fi of a hotel responds to every request with its own page.',
    play: (stage) => sendAgain(stage, { kind: 'respond', status: 200, text: '<html>Buy Wi-Fi</html>' }),
  },
  {
    name: 'proxy-error',
    rule: 'An error without a code of the service, such as a 404 of a proxy, is no response of the service: the batch is sent again.',
    why: 'A balancer without a backend must not make clients throw events away.',
    play: (stage) => sendAgain(stage, { kind: 'respond', status: 404, text: '<html>No such site</html>' }),
  },
  {
    name: 'login-unavailable',
    rule: 'While logins fail, events wait. They are sent once a login succeeds.',
    why: 'An outage of the signing endpoint or the service must lose nothing.',
    async play({ server, start, until }) {
      const body = { error: 'The service is not available.', code: 'unavailable' };
      server.script('/auth/login', { kind: 'respond', status: 503, body }, { kind: 'cut before' });
      const client = await start();
      await client.track('Step', { n: 1 });
      await client.flush();
      await until('the event has arrived', () => server.stored.length === 1);
      checkEqual(client.rejected, [], 'events reported to the game');
    },
  },
];
