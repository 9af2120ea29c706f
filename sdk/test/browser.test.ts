/** @module-tag full */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from '../../e2e/support/browser.js';
import type { Savepoint } from '../src/index.js';
import { fetchSigner } from '../src/server/index.js';
import { bundleClient } from './support/bundle.js';
import { KEY, type RealService, startRealService } from './support/real-service.js';

/** What the page of the game offers to the tests. */
type Game = { client: Savepoint };

describe.skipIf(!HAS_BROWSER)(`in a browser${NEEDS_BROWSER}`, () => {
  let service: RealService;
  let studio: { url: string; server: Server };
  let browser: Browser;
  let context: BrowserContext;
  let device = 0;

  beforeAll(async () => {
    service = await startRealService();
    studio = await startStudio(await bundleClient());
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    studio?.server.close();
    await service?.close();
  });
  beforeEach(async () => {
    device++;
    context = await browser.newContext();
    context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  });
  afterEach(() => context.close());

  /** Opens the game in a tab, on the storage that the browser has kept. */
  const openGame = async (seconds = 5): Promise<Page> => {
    const page = await context.newPage();
    const query = new URLSearchParams({
      service: service.baseUrl,
      device: deviceId(),
      seconds: `${seconds}`,
    });
    await page.goto(`${studio.url}/?${query}`);
    await page.waitForFunction(() => 'client' in globalThis);
    return page;
  };
  const deviceId = () => `browser-${device}`;
  const stored = () => service.storedEvents(deviceId());
  const numbers = async () => (await stored()).map(({ n }) => n);
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

  it('offline, killed, reopened and online again: every event arrives exactly once, in order', async () => {
    const first = await openGame();
    await track(first, 0, 10);
    await first.evaluate(() => (globalThis as unknown as Game).client.flush());
    await expect.poll(numbers).toEqual(upTo(10));

    await context.setOffline(true);
    await track(first, 10, 130);
    await first.evaluate(() => (globalThis as unknown as Game).client.flush());
    await track(first, 130, 140);
    await kill(first);
    await context.setOffline(false);

    // Reopened where the service cannot be reached yet.
    await context.route(`${service.baseUrl}/**`, (route) => route.abort());
    const second = await openGame();
    await track(second, 140, 150);
    await kill(second);
    expect(await numbers()).toEqual(upTo(10));

    await context.unroute(`${service.baseUrl}/**`);
    const third = await openGame();
    await track(third, 150, 160);
    await third.evaluate(() => (globalThis as unknown as Game).client.flush());
    await expect.poll(numbers).toEqual(upTo(160));
    const events = await stored();
    expect(events.map(({ seq }) => seq)).toEqual(upTo(160).map((n) => n + 1));
    expect(new Set(events.map(({ installId }) => installId)).size).toBe(1);
  });

  it('keeps events in localStorage where there is no IndexedDB: killed and reopened, each arrives exactly once, in order', async () => {
    await context.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
    await context.route(`${service.baseUrl}/**`, (route) => route.abort());
    const first = await openGame();
    await track(first, 0, 60);
    await track(first, 60, 70);
    const keys = await first.evaluate(() => Object.keys(localStorage));
    expect(keys).toEqual(expect.arrayContaining([expect.stringMatching(/:queue$/)]));
    await kill(first);
    expect(await numbers()).toEqual([]);

    await context.unroute(`${service.baseUrl}/**`);
    const second = await openGame();
    await track(second, 70, 80);
    await second.evaluate(() => (globalThis as unknown as Game).client.flush());
    await expect.poll(numbers).toEqual(upTo(80));
    const events = await stored();
    expect(events.map(({ seq }) => seq)).toEqual(upTo(80).map((n) => n + 1));
    expect(new Set(events.map(({ installId }) => installId)).size).toBe(1);
  });

  it('sends the events that wait when the network is back', async () => {
    const page = await openGame(1_000);
    await page.evaluate(() => (globalThis as unknown as Game).client.login());
    await context.setOffline(true);
    await track(page, 0, 5);
    await page.evaluate(() => (globalThis as unknown as Game).client.flush());
    await context.setOffline(false);
    await expect.poll(numbers).toEqual(upTo(5));
  });

  it('sends what waits when the page is left', async () => {
    const page = await openGame(1_000);
    await page.evaluate(() => (globalThis as unknown as Game).client.login());
    await track(page, 0, 3);
    await page.goto('about:blank');
    await expect.poll(numbers).toEqual(upTo(3));
    // Events that were sent when the page closed are not sent as new events by the next page.
    const again = await openGame();
    await track(again, 3, 5);
    await again.evaluate(() => (globalThis as unknown as Game).client.flush());
    await expect.poll(numbers).toEqual(upTo(5));
  });

  it('two tabs share one session and one sequence', async () => {
    const [a, b] = [await openGame(), await openGame()];
    const tabs = [a, b];
    await Promise.all(tabs.map((tab, index) => track(tab, index * 1_000, index * 1_000 + 60, 'one by one')));
    await Promise.all(tabs.map((tab) => tab.evaluate(() => (globalThis as unknown as Game).client.flush())));
    await expect.poll(async () => (await stored()).length).toBe(120);
    const events = await stored();
    expect(events.map(({ seq }) => seq)).toEqual(upTo(120).map((n) => n + 1));
    expect(new Set(events.map(({ installId }) => installId)).size).toBe(1);
    for (const first of [0, 1_000]) {
      const own = events.map(({ n }) => n).filter((n) => n >= first && n < first + 60);
      expect(own).toEqual(upTo(60).map((n) => n + first));
    }
    expect(await countSessions()).toBe(1);

    // The session ends: both notice at the same time, one of them logs in.
    await service.pool.query('delete from sessions');
    const who = () => (globalThis as unknown as Game).client.player.status().then(() => 'in');
    expect(await Promise.all(tabs.map((tab) => tab.evaluate(who)))).toEqual(['in', 'in']);
    expect(await countSessions()).toBe(1);
  });

  it('a logout and a change of the store reach the other tab', async () => {
    const [a, b] = [await openGame(), await openGame()];
    await a.evaluate(() => (globalThis as unknown as Game).client.login());
    await b.evaluate(() => {
      const { client } = globalThis as unknown as Game;
      const seen: boolean[] = [];
      Object.assign(globalThis, { seen });
      client.player.on('status', ({ isPayer }) => seen.push(isPayer.value));
      return client.player.status();
    });
    await a.evaluate(async () => {
      const { client } = globalThis as unknown as Game;
      client.track('Purchase', { transactionId: 't', skuId: 'gems_80', price: 0.99, currency: 'USD' });
      await client.flush();
      await client.player.status();
    });
    await b.waitForFunction(() => (globalThis as unknown as { seen: boolean[] }).seen.at(-1) === true);
    await a.evaluate(() => (globalThis as unknown as Game).client.logout());
    const outcome = await b.evaluate(() =>
      (globalThis as unknown as Game).client.player.status().then(
        () => 'in',
        (error) => error.code,
      ),
    );
    expect(outcome).toBe('logged_out');
  });

  async function countSessions(): Promise<number> {
    const { rows } = await service.pool.query(
      'select count(*)::int as count from sessions s join devices d on d.player_id = s.player_id where d.device_id = $1',
      [deviceId()],
    );
    return rows[0].count;
  }
});

/** Tracks events with the numbers from `first` to before `end`, and waits until they are stored on the device. */
async function track(page: Page, first: number, end: number, how: 'together' | 'one by one' = 'together') {
  await page.evaluate(
    async ([from, to, isSlow]) => {
      const { client } = globalThis as unknown as Game;
      for (let n = from; n < to; n++) {
        client.track('Step', { n });
        if (isSlow) await client.saved();
      }
      await client.saved();
    },
    [first, end, how === 'one by one'] as [number, number, boolean],
  );
}

/** Ends the tab's process, as the system does when memory is short. */
async function kill(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  // There is no reply to this command.
  session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

/** The studio's own server: the page of the game, the client, and the signing endpoint. */
async function startStudio(client: string): Promise<{ url: string; server: Server }> {
  const sign = fetchSigner(KEY);
  const game = `<!doctype html><title>Game</title><link rel="icon" href="data:,"><script type="module">
    import { Savepoint } from './client.js';
    const query = new URLSearchParams(location.search);
    const [baseUrl, deviceId] = [query.get('service'), query.get('device')];
    globalThis.client = new Savepoint({ baseUrl, deviceId, sign: '/sign', batch: { seconds: Number(query.get('seconds')) } });
  </script>`;
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/client.js') return response.setHeader('content-type', 'text/javascript').end(client);
    if (path !== '/sign') return response.setHeader('content-type', 'text/html').end(game);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const signed = await sign(new Request('http://studio.test/sign', { method: 'POST', body }));
    return response.setHeader('content-type', 'application/json').end(await signed.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
