import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.js';
import { BROWSER_TIMEOUT_MS, launchBrowser } from './browser.js';
import {
  cleanUp,
  runSavepoint,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
} from './service.js';

const BUILT = fileURLToPath(new URL('../../console/dist/index.html', import.meta.url));
export const DEMO = { studio: 'demo-studio', game: 'demo-game' } as const;

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** Errors of the page, violations of its policy, and requests to other origins. */
  problems: string[];
  /** Opens a page of a game, by default of the demo game. */
  go(path?: string, game?: { studio: string; game: string }): Promise<void>;
};

export type OpenConsole = {
  service: Service;
  settings: Settings;
  browser: Browser;
  /** Olga, an owner of the demo studio. */
  owner: Visitor;
};

const opened: { databases: TestDatabase[]; browsers: Browser[] } = { databases: [], browsers: [] };

/**
 * The service with the demo game, and its owner in a browser. Its database is one of the PostgreSQL that all tests share: a cluster
 * of its own would take longer to make than most of these tests. Call `closeConsole` in afterAll.
 */
export async function openConsole(): Promise<OpenConsole> {
  const database = await createTestDatabase();
  opened.databases.push(database);
  const settings = {
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    DATABASE_URL: database.url,
  };
  // Models are trained only when a test asks for it.
  const service = await startService({ ...settings, SAVEPOINT_TRAINING_DAYS: '0' });
  const browser = await launchBrowser();
  opened.browsers.push(browser);
  const member = { email: 'olga@studio.example', role: 'owner', name: 'Olga' };
  return { service, settings, browser, owner: await signIn(browser, service, settings, member) };
}

/** Ends whatever `openConsole` has started, also where it failed halfway. */
export async function closeConsole(): Promise<void> {
  for (const browser of opened.browsers.splice(0)) await browser.close();
  await cleanUp();
  for (const database of opened.databases.splice(0)) await database.drop();
}

/** The token of a link that signs a person in once. */
export async function signInToken(
  settings: Settings,
  member: { email: string; role: string; tenant?: string; name?: string },
): Promise<string> {
  const { email, role, tenant = DEMO.studio, name } = member;
  const named = name === undefined ? [] : ['--name', name];
  const { output } = await runSavepoint(
    ['admin', 'create', '--email', email, '--role', role, '--tenant', tenant, ...named],
    settings,
  );
  const token = /sign-in#token=([\w-]+)/.exec(output)?.[1];
  if (token === undefined) throw new Error(`no sign-in link: ${output}`);
  return token;
}

/** A browser of its own: cookies are not shared with other visitors. */
export async function visit(browser: Browser, { ops }: Service): Promise<Visitor> {
  if (!existsSync(BUILT)) throw new Error('The console is not built. Run `npm run build` first.');
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // The browser logs refusals, too; the tests check whether they are right.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${ops}/`) && !url.startsWith('blob:') && !url.startsWith('data:'))
      problems.push(`asked ${url}`);
  });
  return {
    page,
    context,
    problems,
    async go(path = '', { studio, game } = DEMO) {
      await page.goto(`${ops}/console/${studio}/${game}${path}`);
    },
  };
}

export async function signIn(
  browser: Browser,
  service: Service,
  settings: Settings,
  member: { email: string; role: string; tenant?: string; name?: string },
): Promise<Visitor> {
  const token = await signInToken(settings, member);
  const visitor = await visit(browser, service);
  await visitor.page.goto(`${service.ops}/console/sign-in#token=${token}`);
  await visitor.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return visitor;
}

/** A request to the admin API as the page would send it, with the session of the person who is signed in there. */
export async function askAsPage<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async ([how, where, sent]) => {
      const me = await (await fetch('/admin/v1/me')).json();
      const response = await fetch(`/admin/v1${where}`, {
        method: how,
        headers: {
          'x-csrf-token': me.data.csrfToken,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      const body = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(body));
      return body.data as T;
    },
    [method, path, body] as const,
  );
}
