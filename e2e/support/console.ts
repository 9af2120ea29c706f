import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { runCommandWith } from '../../server/test/support/command.js';
import { BROWSER_TIMEOUT_MS, launchBrowser } from './browser.js';
import { newInstallation, removeInstallations } from './installation.js';
import { type Service, type Settings, startService } from './service.js';

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

const browsers: Browser[] = [];

/** The service with the demo game, and its owner in a browser. Call `closeConsole` in afterAll. */
export async function openConsole(): Promise<OpenConsole> {
  const settings = { SAVEPOINT_ENV: 'development', ...(await newInstallation()) };
  // Models are trained only when a test asks for it. One worker is enough for one browser, and each takes a second of CPU to start.
  const service = await startService({ ...settings, SAVEPOINT_TRAINING_DAYS: '0', SAVEPOINT_WORKERS: '1' });
  const browser = await launchBrowser();
  browsers.push(browser);
  const member = { email: 'olga@studio.example', role: 'owner', name: 'Olga' };
  return { service, settings, browser, owner: await signIn(browser, service, settings, member) };
}

/** Ends whatever `openConsole` has started, also where it failed halfway. */
export async function closeConsole(): Promise<void> {
  for (const browser of browsers.splice(0)) await browser.close();
  await removeInstallations();
}

/** The token of a link that signs a person in once. */
export async function signInToken(
  settings: Settings,
  member: { email: string; role: string; tenant?: string; name?: string },
): Promise<string> {
  const { email, role, tenant = DEMO.studio, name } = member;
  const named = name === undefined ? [] : ['--name', name];
  const { out, errors } = await runCommandWith(
    settings,
    ...['admin', 'create', '--email', email, '--role', role, '--tenant', tenant, ...named],
  );
  const token = /sign-in#token=([\w-]+)/.exec(out)?.[1];
  if (token === undefined) throw new Error(`no sign-in link: ${out}${errors}`);
  return token;
}

/** A browser of its own: cookies are not shared with other visitors. */
export async function visit(browser: Browser, { ops }: Pick<Service, 'ops'>): Promise<Visitor> {
  if (!existsSync(BUILT)) throw new Error('The console is not built. Run `npm run build` first.');
  // Without motion there is less to draw and nothing to wait for.
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
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

/** Closes the open panel, and saves the draft. */
export async function saveDraft(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
}

export async function publishDraft(page: Page): Promise<void> {
  await saveDraft(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  const panel = page.getByRole('dialog', { name: 'Publish the draft' });
  await panel.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
}

/** On the page of an experiment: gives everybody a variant. */
export async function endExperiment(page: Page, name: string, winner: string, note = ''): Promise<void> {
  await page.getByRole('button', { name: 'End …' }).click();
  const end = page.getByRole('dialog', { name: `End “${name}”` });
  await end.getByRole('textbox', { name: 'Winner' }).click();
  await page.getByRole('option', { name: new RegExp(`^${winner} `) }).click();
  await end.getByLabel('Why').fill(note);
  await end.getByRole('button', { name: 'Publish' }).click();
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
