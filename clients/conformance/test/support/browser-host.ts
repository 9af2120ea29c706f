import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { BROWSER_TIMEOUT_MS } from '../../../../e2e/support/browser.js';
import type { DriverPage } from '../../drivers/page.js';
import type { ClientHost, HostedDevice } from '../../src/client-host.js';
import type { Message } from '../../src/protocol.js';

/** Serves a page that is a driver, as a studio serves its game. */
export async function serveDriverPage(): Promise<{ url: string; server: Server }> {
  const input = fileURLToPath(new URL('../../drivers/page.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  const html = `<!doctype html><title>Driver</title><link rel="icon" href="data:,"><script type="module" src="/driver.js"></script>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/driver.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? output[0].code : html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

type Profile = { context: BrowserContext; idle: Page[] };

/**
 * Each device is a profile of the browser, each run of the game a tab. A kill ends the process of the tab. Profiles and tabs that
 * were not killed serve later exchanges, because new ones cost most of the time; each device has a database of its own.
 */
export function createBrowserHosts(browser: Browser, url: string): () => ClientHost {
  const free: Profile[] = [];
  let devices = 0;

  const openProfile = async (storageState?: StorageState): Promise<Profile> => {
    const context = await browser.newContext(storageState === undefined ? {} : { storageState });
    context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    return { context, idle: [] };
  };

  return () => {
    const used: Profile[] = [];
    const alive = new Map<Page, Profile>();

    const createDevice = (profile: Profile, storage: string): HostedDevice => {
      used.push(profile);
      return {
        storage,
        async copy() {
          const state = await profile.context.storageState({ indexedDB: true });
          return createDevice(await openProfile(state), storage);
        },
        async start(onMessage, onEnd) {
          const page = profile.idle.pop() ?? (await openTab(profile.context));
          alive.set(page, profile);
          listeners.set(page, { onMessage, onEnd });
          await page.goto(url);
          await page.waitForFunction(() => 'handle' in globalThis);
          return {
            send(command) {
              page
                .evaluate((told) => (globalThis as unknown as DriverPage).handle(told), command)
                .catch((error) => onEnd(`The page could not be told anything: ${error.message}`));
            },
            kill: () => {
              alive.delete(page);
              return crash(page);
            },
          };
        },
      };
    };

    return {
      newDevice: async () => createDevice(free.pop() ?? (await openProfile()), `device-${++devices}`),
      async close() {
        for (const [page, profile] of alive) {
          listeners.delete(page);
          await page.goto('about:blank');
          profile.idle.push(page);
        }
        free.push(...used);
      },
    };
  };
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;
type Listeners = { onMessage: (message: Message) => void; onEnd: (why: string) => void };

/** The run that a tab belongs to now. */
const listeners = new WeakMap<Page, Listeners>();

/** A tab that passes the messages of its driver on to its listeners. */
async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on('crash', () => listeners.get(page)?.onEnd('The page crashed.'));
  await page.exposeFunction('tellRunner', (message: Message) => listeners.get(page)?.onMessage(message));
  return page;
}

/** Ends the tab's process, as the system does when memory is short. */
async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  // There is no reply to this command.
  session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}
