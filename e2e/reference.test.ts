/// <reference lib="dom" />
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { type Service, startService } from './support/service.js';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
type Operation = { id: string; title: string };
const LOGIN = { id: 'player/tag/sessions/POST/auth/login', title: 'Exchange a signed request' };
const ME = {
  id: 'admin/tag/studio/GET/admin/v1/me',
  title: 'The sender of the request, with studio and role',
};

describe.skipIf(!HAS_BROWSER)(`the API reference in a browser${NEEDS_BROWSER}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({
      ...(await newInstallation()),
      SAVEPOINT_WORKERS: '1',
      // As in production: the player API listens on every address, so it is at the host of the page.
      SAVEPOINT_HOST: '0.0.0.0',
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await removeInstallations();
  });

  /** Another name for the same listener, which no setting names: what the page says of addresses is of the host under which it was opened. */
  const asLocalhost = (url: string) => url.replace('127.0.0.1', 'localhost');

  // Each page is opened once, because it takes seconds of CPU to render.
  it('shows the player API with its error codes and a login to paste, lets a request be tried out, and fits a phone', async () => {
    const { page, asked, errors } = await openPage(browser);
    const ops = asLocalhost(service.ops);
    await page.goto(`${ops}/reference/`);
    await page.locator('h1', { hasText: 'Savepoint player API' }).waitFor();
    for (const part of [
      'Log in',
      'timestamp_out_of_window',
      'serverTime',
      'events_rejected',
      'Each event counts once',
    ]) {
      await showsText(page, part);
    }
    await expectLoginToPaste(page);
    await expectOwnPage(page);
    expect([...asked]).toEqual([ops]);
    expect(errors).toEqual([]);
    expect(await refusals(page)).toEqual([]);

    // The player API is on another port.
    const { port } = new URL(service.api);
    const api = `http://localhost:${port}`;
    const status = await page.evaluate(async (url) => (await fetch(url)).status, `${api}/v1/limits`);
    expect(status).toBe(200);
    expect(asked).toContain(api);
    await expect(page.evaluate(() => fetch('http://127.0.0.2:1/'))).rejects.toThrow('Failed to fetch');
    await expect.poll(() => refusals(page)).toEqual(['connect-src http://127.0.0.2:1/']);
    await expectFitsPhone(page, LOGIN);
    await page.close();
  });

  it('shows the admin API, for the address under which the page was opened, also on a phone', async () => {
    const { page, asked, errors } = await openPage(browser);
    const ops = asLocalhost(service.ops);
    await page.goto(`${ops}/reference/?api=admin`);
    await page.locator('h1', { hasText: 'Savepoint admin API' }).waitFor();
    for (const part of ['Draft and publish', 'price_raise_unconfirmed']) await showsText(page, part);
    const operation = await showOperation(page, ME);
    const sample = await operation.locator('code', { hasText: 'curl' }).textContent();
    expect(sample).toContain(`${ops}/admin/v1/me`);
    await expectOwnPage(page);
    expect([...asked]).toEqual([ops]);
    expect(errors).toEqual([]);
    expect(await refusals(page)).toEqual([]);
    await expectFitsPhone(page, ME);
    await page.close();
  });

  /** A login at the player API, at the host under which the page was opened. */
  async function expectLoginToPaste(page: Page): Promise<void> {
    const operation = await showOperation(page, LOGIN);
    const sample = await operation.locator('code', { hasText: 'openssl' }).textContent();
    // The response beside it is the example of the document, not made-up values.
    await operation.locator('code', { hasText: '"expiresIn": 3600' }).first().waitFor();
    const { port } = new URL(service.api);
    expect(sample).toContain(` http://localhost:${port}/auth/login `);
    const { stdout } = await promisify(execFile)('bash', ['-c', sample ?? '']);
    expect(JSON.parse(stdout)).toMatchObject({ accessToken: expect.any(String), deviceId: 'my-device' });
  }

  async function expectFitsPhone(page: Page, operation: Operation): Promise<void> {
    await page.setViewportSize(PHONE);
    await showOperation(page, operation);
    // The page is rendered piece by piece.
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await expect.poll(() => page.evaluate(cutOff)).toEqual([]);
    // With three columns of equal width a sentence would have a third of the screen.
    const table = page.locator('table:has(th:text-is("Sentence"))');
    const ratio = async () => {
      const widths = await table.evaluate(columnWidths);
      return (widths[2] ?? 0) / (widths[1] ?? 1);
    };
    await expect.poll(ratio).toBeGreaterThan(2);
  }
});

type Opened = { page: Page; asked: Set<string>; errors: string[] };

async function openPage(browser: Browser): Promise<Opened> {
  const page = await browser.newPage({ viewport: DESKTOP });
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const asked = new Set<string>();
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).origin);
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { refusals: seen });
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      seen.push(`${effectiveDirective} ${blockedURI}`);
    });
  });
  return { page, asked, errors };
}

async function expectOwnPage(page: Page): Promise<void> {
  // Its styles were taken: these are elements that Scalar makes itself.
  const layout = page.locator('.references-layout');
  expect(await layout.evaluate((element) => getComputedStyle(element).display)).toBe('grid');
  // These would send the document to a third party.
  await expect(page.getByText(/Ask AI|Generate MCP/).count()).resolves.toBe(0);
}

/** What the policy has refused. The bundle tries once whether it may use `eval`, and works without it. */
async function refusals(page: Page): Promise<string[]> {
  const seen = await page.evaluate(() => (globalThis as unknown as { refusals: string[] }).refusals);
  return seen.filter((refusal) => refusal !== 'script-src eval');
}

/** Resolves when the text is visible; the page is rendered piece by piece. */
async function showsText(page: Page, text: string): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

/** Parts of the page are rendered when they are scrolled to. */
async function showOperation(page: Page, { id, title }: Operation) {
  await page.locator(`[id="${id}"]`).scrollIntoViewIfNeeded();
  const heading = page.locator('h3', { hasText: title }).first();
  await heading.waitFor();
  await heading.scrollIntoViewIfNeeded();
  const section = page.locator('section', { has: heading }).last();
  await section.locator('.scalar-card').first().waitFor();
  return section;
}

/** Parts that are wider than the window and cannot be scrolled. Runs in the page. */
function cutOff(): string[] {
  const isScrolled = (element: Element | null): boolean =>
    element !== null &&
    element !== document.body &&
    (getComputedStyle(element).overflowX !== 'visible' || isScrolled(element.parentElement));
  return [...document.querySelectorAll('main *')]
    .filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      return width > 0 && right > innerWidth + 1 && !isScrolled(element.parentElement);
    })
    .map((element) => `${element.tagName}.${element.className}`)
    .slice(0, 5);
}

function columnWidths(table: Element): number[] {
  return [...table.querySelectorAll('th')].map((cell) => cell.getBoundingClientRect().width);
}
