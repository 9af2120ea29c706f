import { check, checkEqual, codeOf, type Exchange } from '../exchange.js';
import type { ScriptedServer } from '../scripted-server.js';

const DAY_MS = 86_400_000;

const logins = (server: ScriptedServer) => server.to('/auth/login');
const timestampOf = (server: ScriptedServer, index: number) =>
  String((logins(server)[index]?.body as { timestamp?: string } | undefined)?.timestamp);

export const LOGIN: Exchange[] = [
  {
    name: 'login-when-needed',
    rule: 'The first call that needs a session logs in: what the signing endpoint returned is sent unchanged.',
    why: 'A game should be able to track without waiting for a login.',
    async play({ server, start }) {
      const client = await start();
      await client.track('Step', { n: 1 });
      await client.flush();
      checkEqual(logins(server).length, 1, 'logins');
      const body = logins(server)[0]?.body as Record<string, unknown>;
      checkEqual(body.deviceId, 'phone', 'deviceId of the login');
      check(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(timestampOf(server, 0)),
        'timestamp is not YYYY-MM-DDThh:mm:ssZ',
      );
      checkEqual(server.stored.length, 1, 'events stored');
      checkEqual((await client.login()).userId, 'player-of-phone', 'userId that login returns');
      checkEqual(logins(server).length, 1, 'logins after login() with a session');
    },
  },
  {
    name: 'login-wrong-clock',
    rule: 'A login that is refused for its time is signed again with `serverTime`, once.',
    why: 'A wrong device clock is the most frequent reason for failed logins.',
    async play({ server, start }) {
      server.clockAheadMs = 600_000;
      const client = await start();
      await client.login();
      checkEqual(logins(server).length, 2, 'logins');
      const offMs = Math.abs(Date.parse(timestampOf(server, 1)) - server.nowMs());
      check(offMs <= 300_000, `the second timestamp is ${offMs} ms off the time of the service`);
    },
  },
  {
    name: 'login-clock-400-days',
    rule: 'A device clock that is 400 days ahead gets in on the second try, later logins on the first; events are sent.',
    why: 'Players set their clocks forward to cheat at timers, and phones wake up in another year.',
    async play({ server, start }) {
      server.clockAheadMs = -400 * DAY_MS;
      const client = await start();
      await client.track('Step', { n: 1 });
      await client.flush();
      checkEqual(server.stored.length, 1, 'events stored');
      checkEqual(logins(server).length, 2, 'logins');
      await client.logout();
      await client.login();
      checkEqual(logins(server).length, 3, 'logins after a logout and another login');
    },
  },
  {
    name: 'login-date-header',
    rule: 'Where the window error has neither code nor `serverTime`, the `Date` header says the time.',
    why: 'The specification promises only the sentence.',
    async play({ server, start }) {
      server.clockAheadMs = 200 * DAY_MS;
      server.windowDetails = () => ({});
      await (await start()).login();
      checkEqual(logins(server).length, 2, 'logins');
    },
  },
  {
    name: 'login-tries-twice',
    rule: 'A login that is refused for its time again fails with `timestamp_out_of_window`.',
    why: 'A client must not ask a signing server with a wrong clock again and again.',
    async play({ server, start }) {
      const body = {
        error: 'The request timestamp is outside the acceptable time window.',
        code: 'timestamp_out_of_window',
      };
      server.script(
        '/auth/login',
        { kind: 'respond', status: 400, body },
        { kind: 'respond', status: 400, body },
      );
      checkEqual(
        await codeOf((await start()).login()),
        'timestamp_out_of_window',
        'code that login fails with',
      );
      checkEqual(logins(server).length, 2, 'logins');
    },
  },
  {
    name: 'login-refused',
    rule: 'A login with a wrong signature fails with the code of the service, and is not tried again at once.',
    why: 'Another try does not make a wrong key right.',
    async play({ server, start }) {
      const body = { error: 'Invalid authentication credentials.', code: 'credentials_invalid' };
      server.script('/auth/login', { kind: 'respond', status: 401, body });
      checkEqual(await codeOf((await start()).login()), 'credentials_invalid', 'code that login fails with');
      checkEqual(logins(server).length, 1, 'logins');
    },
  },
];
