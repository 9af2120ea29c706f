/** @module-tag full */
import type { Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from '../../../e2e/support/browser.js';
import type { ClientHost } from '../src/client-host.js';
import { createBrowserHosts, serveDriverPage } from './support/browser-host.js';
import { playEveryExchange } from './support/exchanges.js';

describe.skipIf(!HAS_BROWSER)(`the TypeScript client in Chromium${NEEDS_BROWSER}`, () => {
  let browser: Browser;
  let page: { url: string; server: Server };
  let createHost: () => ClientHost;

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await serveDriverPage();
    createHost = createBrowserHosts(browser, page.url);
  });
  afterAll(async () => {
    await browser?.close();
    page?.server.close();
  });

  playEveryExchange(() => createHost());
});
