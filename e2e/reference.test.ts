import { accessSync, constants } from 'node:fs';
import { chromium } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, startService, temporaryFolder } from './support/service.js';

const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  isExecutable,
);
const NEEDS = BROWSER === undefined ? ' (skipped: Chromium is not installed)' : '';

afterAll(cleanUp);

describe.skipIf(BROWSER === undefined)(`the API reference in a browser${NEEDS}`, () => {
  it('shows both APIs with their error codes, and asks nobody else for anything', async () => {
    const service = await startService({
      SAVEPOINT_DATA_DIR: await temporaryFolder(),
      SAVEPOINT_WORKERS: '1',
    });
    const browser = await chromium.launch({
      ...(BROWSER === undefined ? {} : { executablePath: BROWSER }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    });
    try {
      const page = await browser.newPage();
      const asked = new Set<string>();
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${service.ops}/`);
      await page.locator('h1', { hasText: 'Savepoint player API' }).waitFor({ timeout: 60_000 });
      const text = await page.locator('body').innerText();
      for (const part of [
        'Log in',
        'timestamp_out_of_window',
        'serverTime',
        'events_rejected',
        'Each event counts once',
      ]) {
        expect(text).toContain(part);
      }
      await page.goto(`${service.ops}/reference/?api=admin`);
      await page.locator('h1', { hasText: 'Savepoint admin API' }).waitFor({ timeout: 60_000 });
      const admin = await page.locator('body').innerText();
      for (const part of ['Draft and publish', 'price_raise_unconfirmed', '/admin/v1/audit-log']) {
        expect(admin).toContain(part);
      }
      expect([...asked]).toEqual([service.ops]);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      await service.interrupt();
    }
  }, 120_000);
});

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
