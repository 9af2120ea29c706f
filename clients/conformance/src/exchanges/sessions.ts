import { check, checkEqual, codeOf, type Exchange } from '../exchange.js';
import type { ReadName } from '../protocol.js';
import { storeOf } from '../service-model.js';

const READS: ReadName[] = ['status', 'store', 'segments', 'predictions'];
const UNAUTHORIZED = {
  kind: 'respond',
  status: 401,
  body: { error: 'Invalid authentication credentials.', code: 'token_invalid' },
} as const;

export const SESSIONS: Exchange[] = [
  {
    name: 'refresh-race',
    rule: 'When several calls find that the token has ended, one refresh runs, and all calls succeed.',
    why: 'Refresh tokens are used once. A second use later on ends the session.',
    async play({ server, start, until }) {
      const client = await start();
      await client.login();
      await client.track('Step', { n: 1 });
      server.endTokens();
      // Leaves time for a second refresh to arrive, which a wrong client sends.
      const second = until('a second refresh arrives', () => server.to('/auth/refresh').length > 1);
      const aWhile = new Promise((resolve) => setTimeout(resolve, 300));
      server.script('/auth/refresh', { kind: 'hold', until: Promise.race([second, aWhile]) });
      await Promise.all([...READS.map((name) => client.read(name)), client.flush()]);
      checkEqual(server.to('/auth/refresh').length, 1, 'refreshes');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
      checkEqual(server.stored.length, 1, 'events stored');
    },
  },
  {
    name: 'refresh-before-expiry',
    rule: 'The session is refreshed before its token ends: no request is sent with a token that has ended.',
    why: 'A refused request costs a round trip, and some servers count refused tokens as attacks.',
    needs: 'clock',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      for (const seconds of [3_590, 7_200]) {
        await client.setClock(seconds);
        server.clockAheadMs = seconds * 1_000;
        await client.read('status');
      }
      checkEqual(server.to('/auth/refresh').length, 2, 'refreshes');
      checkEqual(server.to('/v1/player/status').length, 2, 'requests for the status');
    },
  },
  {
    name: 'refresh-ahead-of-expiry-slow',
    rule: 'While the token still works for most of a minute, no call waits for a refresh.',
    why: 'A game would stand still for a response that it does not need yet.',
    needs: 'clock',
    async play({ server, start, until }) {
      const client = await start();
      await client.login();
      await client.setClock(3_550);
      server.clockAheadMs = 3_550_000;
      const isRead = until('the status is read', () => server.to('/v1/player/status').length > 0);
      server.script('/auth/refresh', { kind: 'hold', until: isRead });
      server.status = { isPayer: { value: true, defaultValue: false, expiredAt: null } };
      checkEqual(await client.read('status'), server.status, 'status');
      check(server.to('/auth/refresh').length < 2, 'the read has waited for a refresh that was sent twice');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
    },
  },
  {
    name: 'unauthorized-once',
    rule: 'After a 401 the session is refreshed and the request is sent once more with the new token.',
    why: 'A token may end, or be revoked, at any moment.',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      server.script('/v1/player/status', UNAUTHORIZED);
      server.script('/v1/events', UNAUTHORIZED);
      checkEqual(await client.read('status'), server.status, 'status');
      await client.track('Step', { n: 1 });
      await client.flush();
      for (const path of ['/v1/player/status', '/v1/events']) {
        const [refused, again, ...more] = server.to(path).map(({ headers }) => headers.authorization);
        check(again !== undefined && again !== refused, `${path} was not asked again with another token`);
        checkEqual(more.length, 0, `further requests to ${path}`);
      }
      checkEqual(server.to('/auth/refresh').length, 2, 'refreshes');
      checkEqual(server.stored.length, 1, 'events stored');
    },
  },
  {
    name: 'unauthorized-twice',
    rule: 'After a second 401 there is no third try; events wait, and reads return the last good response.',
    why: 'Otherwise a fault of the service becomes an attack by all of its players.',
    async play({ server, start, until }) {
      const client = await start();
      await client.login();
      server.script('/v1/player/status', UNAUTHORIZED, UNAUTHORIZED);
      server.script('/v1/events', UNAUTHORIZED, UNAUTHORIZED);
      checkEqual(await client.read('status'), server.status, 'status');
      checkEqual(server.to('/v1/player/status').length, 2, 'requests for the status');
      await client.track('Step', { n: 1 });
      await client.flush();
      await until('the event has arrived', () => server.stored.length === 1);
      checkEqual(server.to('/v1/events').length, 3, 'requests with events');
    },
  },
  {
    name: 'session-ended-elsewhere',
    rule: 'When the session was ended on the service, the client logs in again without a call of the game, and loses nothing.',
    why: 'A studio may end sessions, and a player may log out all devices on another device.',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      await client.track('Step', { n: 1 });
      await client.flush();
      server.endSessions();
      await client.track('Step', { n: 2 });
      await client.flush();
      checkEqual(await client.read('status'), server.status, 'status');
      checkEqual(server.to('/auth/login').length, 2, 'logins');
      checkEqual(
        server.stored.map(({ payload }) => payload.n),
        [1, 2],
        'events stored',
      );
    },
  },
  {
    name: 'refresh-response-lost',
    rule: 'A refresh whose response was lost is sent again at once with the same token, so that the call which waits for it succeeds. The client does not log in instead.',
    why: 'Within its grace time of 30 s the service gives the retry a working successor; later the session ends.',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      server.endTokens();
      server.script('/auth/refresh', { kind: 'cut after' });
      await client.read('status');
      const [lost, again] = server.to('/auth/refresh').map(({ body }) => body);
      checkEqual(again, lost, 'second refresh');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
    },
  },
  {
    name: 'refresh-slow-response',
    rule: 'A refresh that gets no response for some seconds is sent again with the same token, and the first try stays open: the first response is used. A refusal that comes after it changes nothing.',
    why: 'A service that is slow may have processed the first try. A client that gives up its response, and that of the next try, loses its session after the grace time of 30 s.',
    async play({ server, start, until }) {
      const client = await start();
      await client.login();
      server.endTokens();
      const refreshes = () => server.to('/auth/refresh');
      const second = until('a second refresh arrives', () => refreshes().length > 1);
      let use = () => {};
      const isUsed = new Promise<void>((resolve) => {
        use = resolve;
      });
      const refused = { ...UNAUTHORIZED, body: { ...UNAUTHORIZED.body, code: 'refresh_token_invalid' } };
      server.script(
        '/auth/refresh',
        { kind: 'hold', until: second },
        { kind: 'hold', until: isUsed, instead: refused },
      );
      server.status = { isPayer: { value: true, defaultValue: false, expiredAt: null } };
      checkEqual(await client.read('status'), server.status, 'status');
      const [slow, again] = refreshes().map(({ body }) => body);
      checkEqual(again, slow, 'second refresh');
      use();
      await until('the second refresh is refused', () => refreshes()[1]?.respondedAtMs !== undefined);
      await client.track('Step', { n: 1 });
      await client.flush();
      checkEqual(server.stored.length, 1, 'events stored');
      checkEqual(refreshes().length, 2, 'refreshes');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
    },
  },
  {
    name: 'refresh-retried-alone',
    rule: 'A refresh that was sent twice without a response is retried within seconds, also when no call waits for it any more.',
    why: 'A game that asks for nothing for half a minute would lose its session: the grace time of the service would be over.',
    async play({ server, start, until }) {
      const client = await start();
      await client.login();
      server.endTokens();
      server.script('/auth/refresh', { kind: 'cut after' }, { kind: 'cut after' });
      checkEqual(await client.read('status'), server.status, 'status: the last good one');
      await until('a third refresh arrives', () => server.to('/auth/refresh').length === 3);
      const [lost, ...again] = server.to('/auth/refresh').map(({ body }) => body);
      for (const body of again) checkEqual(body, lost, 'refresh');
      await client.track('Step', { n: 1 });
      await client.flush();
      checkEqual(server.stored.length, 1, 'events stored');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
      checkEqual(server.to('/auth/refresh').length, 3, 'refreshes');
    },
  },
  {
    name: 'logout',
    rule: 'After a logout nothing is sent and reads fail with `logged_out`. Events that are tracked meanwhile are sent after the next login.',
    why: 'A player who has logged out must not be logged in again by a timer.',
    async play({ server, start, until }) {
      const client = await start({ batch: { events: 1, bytes: 60_000, seconds: 1_000 } });
      await client.login();
      await client.logout();
      checkEqual(server.to('/auth/logout').length, 1, 'logouts');
      await client.track('Step', { n: 1 });
      await client.flush();
      checkEqual(await codeOf(client.read('status')), 'logged_out', 'code that a read fails with');
      checkEqual(server.to('/auth/login').length, 1, 'logins before login()');
      await client.login();
      await until('the event has arrived', () => server.stored.length === 1);
      checkEqual(server.to('/auth/login').length, 2, 'logins');
    },
  },
  {
    name: 'logout-beats-retry',
    rule: 'A logout ends the retries of a refresh: nothing brings the session back.',
    why: 'A player who has logged out must stay logged out, however bad the network was before.',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      server.script('/v1/player/status', UNAUTHORIZED);
      server.script('/auth/refresh', { kind: 'cut after' }, { kind: 'cut after' });
      await client.read('status');
      // Leaves time for a retry, which a wrong client sends.
      const aWhile = new Promise((resolve) => setTimeout(resolve, 5_000));
      server.script('/auth/logout', { kind: 'hold', until: aWhile });
      await client.logout();
      checkEqual(await codeOf(client.read('status')), 'logged_out', 'code that a read fails with');
      const paths = server.requests.map(({ path }) => path);
      const afterwards = paths.slice(paths.indexOf('/auth/logout') + 1);
      check(!afterwards.includes('/auth/refresh'), 'a refresh was sent after the logout');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
    },
  },
  {
    name: 'response-forms',
    rule: 'Successes are read as they are or inside `data`, errors as a sentence or as an object in `error`.',
    why: 'The specification has both forms and asks clients to accept both.',
    async play({ server, start, until }) {
      server.isWrapped = true;
      server.clockAheadMs = 600_000;
      server.store = storeOf('gems_500');
      const client = await start();
      checkEqual((await client.login()).userId, 'player-of-phone', 'userId');
      checkEqual(await client.read('store'), server.store, 'store');
      const body = {
        accepted: 1,
        duplicates: 0,
        rejected: [{ index: 1, code: 'payload_invalid', message: 'no' }],
      };
      server.script('/v1/events', { kind: 'respond', status: 202, body });
      await client.track('Step', { n: 1 });
      await client.track('Odd', { n: 2 });
      await client.flush();
      await until('the rejection is reported', () => client.rejected.length > 0);
      checkEqual(client.rejected, ['Odd payload_invalid'], 'events reported to the game');
      checkEqual(server.to('/v1/events').length, 1, 'requests with events');
    },
  },
];
