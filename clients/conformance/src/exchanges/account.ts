import { check, checkEqual, codeOf, type Exchange } from '../exchange.js';

const RECEIPT = { store: 'google', purchaseData: '{"orderId":"GPA.1","price":1.10}', signature: 'c2ln+/==' };

export const ACCOUNT: Exchange[] = [
  {
    name: 'purchase-with-receipt',
    rule: 'A purchase is an event `Purchase` with the SKU, the promotion and the receipt, exactly as the store gave it.',
    why: 'The service checks the signature over the text of the receipt. One other character, and nothing was bought.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      await client.purchase('gems_80', RECEIPT, 'welcome');
      await client.purchase('gems_80', RECEIPT);
      await client.flush();
      checkEqual(
        server.stored.map(({ eventType, payload }) => ({ eventType, payload })),
        [
          { eventType: 'Purchase', payload: { skuId: 'gems_80', receipt: RECEIPT, promoId: 'welcome' } },
          { eventType: 'Purchase', payload: { skuId: 'gems_80', receipt: RECEIPT } },
        ],
        'events stored',
      );
    },
  },
  {
    name: 'delete-account',
    rule: 'After the account was deleted, events that wait are dropped, no response is kept, and the client is logged out. The next login starts a new installation.',
    why: 'What is left on the device would be counted for the next player of the device.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      await client.track('Sent', {});
      await client.read('store');
      await client.flush();
      await client.track('Waiting', {});
      await client.saved();
      await client.deleteAccount();
      const [deletion, ...more] = server.to('/v1/player');
      checkEqual([deletion?.method, more.length], ['DELETE', 0], 'requests to /v1/player');
      checkEqual(await codeOf(client.read('store')), 'logged_out', 'a read after the deletion');
      await client.login();
      await client.track('New', {});
      await client.flush();
      checkEqual(
        server.stored.map(({ eventType, seq }) => `${eventType} ${seq}`),
        ['Sent 1', 'New 1'],
        'events stored',
      );
      const [sent, fresh] = server.stored.map(({ installId }) => installId);
      check(sent !== fresh, 'the new player has the installation of the one before');
    },
  },
  {
    name: 'delete-account-failed',
    rule: 'A deletion that the service did not respond to fails, and nothing has changed: events that wait are sent.',
    why: 'The player believes that the account is gone while it is there, or loses what was played.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      await client.track('Step', {});
      await client.saved();
      server.script('/v1/player', { kind: 'cut before' });
      checkEqual(await codeOf(client.deleteAccount()), 'network_failed', 'the deletion');
      await client.flush();
      checkEqual(server.stored.length, 1, 'events stored');
      checkEqual(server.to('/auth/login').length, 1, 'logins');
    },
  },
  {
    name: 'delete-account-response-lost',
    rule: 'A deletion whose response was lost can be asked for again, and then succeeds.',
    why: 'The session ended with the first request. A client that stops at the 401 leaves the events of a player who is gone.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      await client.login();
      await client.track('Waiting', {});
      await client.saved();
      server.script('/v1/player', { kind: 'cut after' });
      checkEqual(await codeOf(client.deleteAccount()), 'network_failed', 'the first deletion');
      await client.deleteAccount();
      await client.login();
      await client.flush();
      checkEqual(server.stored, [], 'events stored');
    },
  },
  {
    name: 'export-player',
    rule: 'The export of the player is returned as the service gives it, and never from what was kept.',
    why: 'It is the answer to a request by law: an old one would be a wrong one.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      const { userId } = await client.login();
      checkEqual(
        await client.exportPlayer(),
        { format: 'savepoint-player-export', player: { playerId: userId } },
        'the export',
      );
      const limited = { error: { code: 'rate_limited', message: 'One an hour.' }, status: 'error' };
      server.script('/v1/player/export', { kind: 'respond', status: 429, body: limited });
      checkEqual(await codeOf(client.exportPlayer()), 'rate_limited', 'the second export');
    },
  },
  {
    name: 'erasure-code',
    rule: 'The code for the page of the game comes with the whole address of the page. Where the studio has no such page, the call fails with its code.',
    why: 'The player notes both before the game is removed.',
    needs: 'account',
    async play({ server, start }) {
      const client = await start();
      const { code, expiresAt, page } = server.erasureCode;
      checkEqual(await client.erasureCode(), { code, expiresAt, url: `${server.url}${page}` }, 'the code');
      const off = { error: { code: 'erasure_page_off', message: 'No page.' }, status: 'error' };
      server.script('/v1/player/erasure_code', { kind: 'respond', status: 404, body: off });
      checkEqual(await codeOf(client.erasureCode()), 'erasure_page_off', 'the code without a page');
    },
  },
];
