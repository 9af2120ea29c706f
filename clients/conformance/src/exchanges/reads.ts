import { check, checkEqual, codeOf, type Exchange } from '../exchange.js';
import type { ReadName } from '../protocol.js';
import { predictionUntil, storeOf } from '../service-model.js';

const READS: ReadName[] = ['status', 'store', 'segments', 'predictions', 'values'];
const PATHS: Record<ReadName, string> = {
  status: '/v1/player/status',
  store: '/v1/player/store_configs',
  segments: '/v1/player/segments',
  predictions: '/v1/player/predictions',
  values: '/v1/player/values',
};
const flag = (value: boolean, expiredAt: string | null = null) => ({
  isPayer: { value, defaultValue: false, expiredAt },
});

export const READS_OF_PLAYER: Exchange[] = [
  {
    name: 'not-modified',
    rule: 'A read sends the ETag of the last response; a 304 means that response.',
    why: 'Most responses have not changed, and a store is large.',
    async play({ server, start }) {
      const client = await start();
      for (const name of READS) {
        const first = await client.read(name);
        checkEqual(await client.read(name), first, `${name} after a 304`);
        const [fresh, again] = server.to(PATHS[name]);
        checkEqual(
          fresh?.headers['if-none-match'],
          undefined,
          `If-None-Match of the first request for ${name}`,
        );
        checkEqual(
          typeof again?.headers['if-none-match'],
          'string',
          `If-None-Match of the second request for ${name}`,
        );
      }
      server.status = flag(true);
      checkEqual(await client.read('status'), flag(true), 'status after a change');
    },
  },
  {
    name: 'last-good-response',
    rule: 'Without a network, and on 429 and 5xx, reads return the last good response, also after a restart.',
    why: 'A game without a network still has to show something.',
    async play({ server, newDevice }) {
      server.status = flag(true);
      const device = await newDevice();
      const first = await device.start();
      const responses = [];
      for (const name of READS) responses.push(await first.read(name));
      server.script(
        PATHS.store,
        { kind: 'respond', status: 503, text: 'busy' },
        { kind: 'respond', status: 429, text: 'busy' },
      );
      for (const status of [503, 429])
        checkEqual(await first.read('store'), responses[1], `store on ${status}`);
      server.isReachable = false;
      for (const [index, name] of READS.entries()) {
        checkEqual(await first.read(name), responses[index], `${name} without a network`);
      }
      await first.saved();
      await first.kill();
      const second = await device.start();
      for (const [index, name] of READS.entries()) {
        checkEqual(await second.read(name), responses[index], `${name} without a network, after a restart`);
      }
    },
  },
  {
    name: 'login-brings-responses',
    rule: 'Status and store of the login response count as responses to their reads.',
    why: 'A client can read both without further calls, as the specification says.',
    async play({ server, start }) {
      server.status = flag(true);
      const client = await start();
      await client.login();
      server.isReachable = false;
      checkEqual(await client.read('status'), server.status, 'status');
      checkEqual(await client.read('store'), server.store, 'store');
    },
  },
  {
    name: 'fallback-of-the-game',
    rule: 'Before the first response, reads return the fallback that ships with the game; without a fallback they fail.',
    why: 'The first start may be without a network.',
    async play({ server, start }) {
      server.isReachable = false;
      const client = await start({ fallback: { status: flag(false), store: storeOf('starter') } });
      checkEqual(await client.read('status'), flag(false), 'status');
      checkEqual(await client.read('store'), storeOf('starter'), 'store');
      // The code depends on where the client's first request goes: to the signing endpoint or to the service.
      const code = await codeOf(client.read('segments'));
      check(
        /^(network|sign)_failed$/.test(code),
        `segments without a network, a response and a fallback: ${code}`,
      );
    },
  },
  {
    name: 'store-fallback-config',
    rule: 'A store that is older than its `stale-if-error` is replaced by its `fallbackConfig` while there is no network.',
    why: 'A price that has ended must not be shown for ever.',
    async play({ server, start }) {
      const { activeSkus, lastUpdatedTimestamp } = storeOf('plain');
      const fallbackConfig = { version: 7, activeSkus, lastUpdatedTimestamp };
      server.store = { ...storeOf('half_price'), fallbackConfig };
      server.cacheControl = 'private, no-cache, stale-if-error=0';
      const client = await start();
      checkEqual(await client.read('store'), server.store, 'store online');
      server.isReachable = false;
      const expected = { activeSkus, lastUpdatedTimestamp, userSpecificPromoId: null, fallbackConfig };
      checkEqual(await client.read('store'), expected, 'store without a network');
    },
  },
  {
    name: 'flag-expired',
    rule: 'A flag whose `expiredAt` has passed, by the clock of the service, has its default value.',
    why: 'The response may be an old one. A flag ends without another request.',
    async play({ server, start }) {
      const HOUR_MS = 3_600_000;
      server.clockAheadMs = 48 * HOUR_MS;
      const past = new Date(server.nowMs() - HOUR_MS).toISOString();
      const future = new Date(server.nowMs() + HOUR_MS).toISOString();
      server.status = {
        ...flag(true, past),
        isBeta: { value: true, defaultValue: false, expiredAt: future },
      };
      const client = await start();
      const expected = { ...server.status, ...flag(false, past) };
      checkEqual(await client.read('status'), expected, 'status');
    },
  },
  {
    name: 'prediction-expired',
    rule: 'A prediction whose `expiredAt` has passed, by the clock of the service, has its default value, the state `degraded`, and null as `band` and `percentile`; its other members stay.',
    why: 'The band of yesterday is no better than its value. Without a network a game would act on it for days.',
    async play({ server, start }) {
      const HOUR_MS = 3_600_000;
      server.clockAheadMs = 48 * HOUR_MS;
      const past = predictionUntil(new Date(server.nowMs() - HOUR_MS).toISOString());
      const spend = predictionUntil(new Date(server.nowMs() + HOUR_MS).toISOString());
      server.predictions = { churn: past, spend };
      const client = await start();
      const average = { value: past.defaultValue, percentile: null, band: null, state: 'degraded' };
      const expected = { churn: { ...past, ...average }, spend };
      checkEqual((await client.read('predictions')).predictions, expected, 'predictions');
      server.isReachable = false;
      const offline = await client.read('predictions');
      checkEqual(offline.predictions, expected, 'predictions without a network');
    },
  },
  {
    name: 'typed-values',
    rule: 'A typed value is at hand after a login or a read of values, also without a network and after a restart. A key that the game does not have, and a value of another type, give the default.',
    why: 'A game asks for values in each frame, and must never get one that it cannot use.',
    async play({ server, newDevice }) {
      server.values = { jump_height: 5, speed: 1.5, mode: 'hard', intro: false };
      const device = await newDevice();
      const first = await device.start();
      checkEqual(await first.value('jump_height', 3), 3, 'a value before the first response');
      // Ends the request that this has begun in the background.
      await first.read('values');
      await first.login();
      const expectAll = async (client: typeof first, when: string) => {
        checkEqual(await client.value('jump_height', 3), 5, `a whole number ${when}`);
        checkEqual(await client.value('speed', 0.5), 1.5, `a number ${when}`);
        checkEqual(await client.value('mode', 'easy'), 'hard', `a text ${when}`);
        checkEqual(await client.value('intro', true), false, `a switch ${when}`);
        checkEqual(await client.value('jump', 3), 3, `a key that the game does not have ${when}`);
        checkEqual(await client.value('mode', 3), 3, `a text where a number is expected ${when}`);
        checkEqual(
          await client.value('jump_height', 'low'),
          'low',
          `a number where a text is expected ${when}`,
        );
      };
      await expectAll(first, 'after a login');
      server.values = { ...server.values, jump_height: 6 };
      await first.read('values');
      checkEqual(await first.value('jump_height', 3), 6, 'a value after another response');
      server.values = { ...server.values, jump_height: 5 };
      await first.read('values');
      await first.saved();
      await first.kill();
      server.isReachable = false;
      const second = await device.start();
      await second.read('values');
      await expectAll(second, 'without a network, after a restart');
    },
  },
  {
    name: 'read-refused',
    rule: 'A refusal, such as 403, is an error of the read, not an outage.',
    why: 'A game with the wrong game id would show old responses, and its studio would not notice.',
    async play({ server, start }) {
      const client = await start();
      await client.read('status');
      const body = { error: { code: 'player_mismatch', message: 'Another player.' }, status: 'error' };
      server.script(PATHS.status, { kind: 'respond', status: 403, body });
      checkEqual(await codeOf(client.read('status')), 'player_mismatch', 'code that the read fails with');
    },
  },
];
