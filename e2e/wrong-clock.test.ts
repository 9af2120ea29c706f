/** @module-tag full */
import { afterAll, it } from 'vitest';
import { HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { signIn } from './support/console.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { startService } from './support/service.js';

const DAYS_AHEAD = 100;

afterAll(removeInstallations);

// What else such a service says and leaves alone: server/test/core/sessions/wrong-clock.test.ts.
it.skipIf(!HAS_BROWSER)(
  `every page of the console says that the machine is 100 days ahead of the database${NEEDS_BROWSER}`,
  async () => {
    const settings = { SAVEPOINT_ENV: 'development', SAVEPOINT_WORKERS: '1', ...(await newInstallation()) };
    const service = await startService({
      ...settings,
      NODE_OPTIONS: `--import ${new URL('support/shifted-clock.mjs', import.meta.url).href}`,
      CLOCK_AHEAD_MS: String(DAYS_AHEAD * 86_400_000),
      SAVEPOINT_TRAINING_DAYS: '0',
    });
    const browser = await launchBrowser();
    const member = { email: 'olga@studio.example', role: 'owner', name: 'Olga' };
    const { page } = await signIn(browser, service, settings, member);
    const sentence = `The clock of this node is ${DAYS_AHEAD} days ahead of the clock of the database.`;
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    await browser.close();
  },
);
