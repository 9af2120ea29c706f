/** @module-tag full */
/// <reference lib="dom" />
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { startService } from './support/service.js';

afterAll(removeInstallations);

it.skipIf(!HAS_BROWSER)(
  `the API reference works in a browser: a login to paste, the filter, a phone${NEEDS_BROWSER}`,
  async () => {
    const service = await startService({ ...(await newInstallation()), SAVEPOINT_WORKERS: '1' });
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', ({ message }) => problems.push(message));

    await page.goto(`${service.ops}/reference/`);
    const sample = page.locator('#login .sample code');
    const { stdout } = await promisify(execFile)('bash', ['-c', (await sample.textContent()) ?? '']);
    expect(JSON.parse(stdout)).toMatchObject({ accessToken: expect.any(String), deviceId: 'my-device' });

    const entries = page.locator('nav li:visible');
    const all = await entries.count();
    await page.getByRole('searchbox').fill('timestamp_out_of_window');
    await expect.poll(() => entries.count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => entries.count()).toBe(all);

    await page.setViewportSize({ width: 390, height: 844 });
    for (const api of ['Admin API', 'Player API']) {
      await page.getByRole('link', { name: api }).click();
      await page.locator('h1').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), api).toBe(390);
    }
    expect(problems).toEqual([]);
    await browser.close();
  },
);
