/** @module-tag full */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { runHere } from './support/run-here.js';
import { SAVEPOINT, type Service, startService } from './support/service.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** What a process has printed, once it has printed this. */
function printed({ stdout }: ChildProcess, end: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    stdout?.on('data', (chunk) => {
      text += chunk;
      if (end.test(text)) resolve(text);
    });
  });
}

describe.skipIf(!HAS_BROWSER)(`the web game${NEEDS_BROWSER}`, () => {
  let service: Service;
  let settings: Record<string, string>;
  let game: ChildProcess;
  let shop: ChildProcess;
  let address: string;
  let browser: Browser;

  beforeAll(async () => {
    settings = { SAVEPOINT_ENV: 'development', ...(await newInstallation()), SAVEPOINT_WORKERS: '1' };
    // Purchases come from the fake store, and only verified ones count.
    shop = spawn(process.execPath, [SAVEPOINT, 'fake-store', '--port', '0'], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = await printed(shop, /^}$/m);
    const shopUrl = /sells at (\S+)\. /.exec(said)?.[1] ?? '';
    for (const [, name = '', value = ''] of said.matchAll(/^ {2}(SAVEPOINT_\w+)=(\S+)$/gm))
      settings[name] = value;
    service = await startService(settings);
    const stores = join(settings.SAVEPOINT_DATA_DIR ?? '', 'stores.json');
    await writeFile(stores, /^{$[\s\S]*?^}$/m.exec(said)?.[0] ?? '');
    const demo = ['--tenant', 'demo-studio', '--game', 'demo-game'];
    await runHere(['store', 'set', ...demo, '--file', stores], settings);
    const { PATH } = process.env;
    game = spawn('npm', ['run', 'example:web-game'], {
      cwd: ROOT,
      env: {
        ...{ PATH, PORT: '0', SAVEPOINT_URL: service.api, npm_config_update_notifier: 'false' },
        FAKE_STORE_URL: shopUrl,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    address = /Play at (\S+)/.exec(await printed(game, /Play at \S+/))?.[1] ?? '';
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    game?.kill();
    shop?.kill();
    await removeInstallations();
  });

  it('is served by a process that says once whose receipts it believes', () => {
    expect(service.output().match(/a root certificate that is not Apple's/g)).toHaveLength(1);
  });

  it('is played, buys from the fake store with receipts, and then shows the offer for payers', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(`${address}?gems=2`);
    await page.getByText(/^Player \w{8}$/).waitFor();

    // Two rounds: the second one ends with an ad.
    for (const round of [1, 2]) {
      await page.locator('#play').click();
      await page.keyboard.press('ArrowLeft');
      await page.getByText(new RegExp(`^Round ${round}: \\d of 2$`)).waitFor();
    }
    await page.getByText('Space Farmers').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    const knownAsPayer = page.waitForResponse(
      async (response) =>
        response.url().endsWith('/v1/player/status') &&
        response.status() === 200 &&
        (await response.text()).includes('"value":true'),
    );
    await page.getByRole('button', { name: 'Buy Chest of Gems for $10.00' }).click();
    await page.getByText('Just for you: Chest of Gems for $7.50.').waitFor();
    // A quarter off, for payers only.
    await page.getByRole('button', { name: 'Buy Chest of Gems for $7.50' }).click();
    await expect.poll(() => page.locator('#gems b').textContent()).toMatch(/^2,40\d$/);

    await knownAsPayer;
    // No ad for a payer.
    await page.locator('#play').click();
    await page.getByText(/^Round 3/).waitFor();
    await page.locator('#play').click();
    await page.getByText(/^Round 4/).waitFor();
    expect(await page.locator('#ad').isHidden()).toBe(true);
    expect(problems).toEqual([]);

    const counts = async () => {
      const { output } = await runHere(
        [
          'export',
          'events',
          '--tenant',
          'demo-studio',
          '--game',
          'demo-game',
          '--from',
          '2020-01-01',
          '--to',
          '2100-01-01',
        ],
        settings,
      );
      const events = output.split('\n').filter((line) => line.startsWith('{'));
      const types = events.map((line) => (JSON.parse(line) as { eventType: string }).eventType);
      return Object.fromEntries(
        [...new Set(types)].sort().map((type) => [type, types.filter((each) => each === type).length]),
      );
    };
    await expect.poll(counts).toMatchObject({
      Ad_Impression: 1,
      Level_Complete: 4,
      Level_Start: 4,
      Purchase: 2,
      Session_Start: 1,
      Store_View: 1,
    });
  });

  it('serves its own files and the client, and nothing else', async () => {
    const status = async (path: string) => (await fetch(new URL(path, address))).status;
    expect(await status('/sdk/index.js')).toBe(200);
    expect(await status('/sdk/storage/memory-storage.js')).toBe(200);
    expect(await status('/sdk/..%2f..%2fpackage.json')).toBe(404);
    expect(await status('/server.mjs')).toBe(404);
  });
});
