import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { signIn } from './support/console.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import {
  get,
  login,
  post,
  runSavepoint,
  type Service,
  type Settings,
  startService,
  until,
} from './support/service.js';

const DAY_MS = 86_400_000;
const AHEAD = {
  NODE_OPTIONS: `--import ${new URL('support/shifted-clock.mjs', import.meta.url).href}`,
  CLOCK_AHEAD_MS: String(100 * DAY_MS),
};
const SENTENCE = 'The clock of this node is 100 days ahead of the clock of the database.';

describe('a service whose machine is 100 days ahead of the database', () => {
  let db: pg.Client;
  let settings: Settings;
  let service: Service;
  beforeAll(async () => {
    const installation = await newInstallation();
    db = new pg.Client(installation.DATABASE_URL);
    await db.connect();
    settings = { SAVEPOINT_ENV: 'development', SAVEPOINT_WORKERS: '1', ...installation };
    service = await startService({ ...settings, ...AHEAD, SAVEPOINT_TRAINING_DAYS: '0' });
  });
  afterAll(async () => {
    await db.end();
    await removeInstallations();
  });

  // A node reckons the time of the database from its own clock and a measured difference, so it may be
  // some milliseconds ahead of now().
  const events = async () =>
    (await db.query('select abs(extract(epoch from now() - received_at)) < 3600 as is_now from events')).rows;

  it('serves players, and stores what they send at the time of the database', async () => {
    const player = await login(service.api, 'phone-1');
    const event = { eventType: 'Level', timestamp: new Date().toISOString(), payload: { level: 1 } };
    expect((await post(`${service.api}/v1/events`, player.headers, [event])).status).toBe(202);
    expect((await get(`${service.api}/v1/player/status`, player.headers)).status).toBe(200);
    expect(await events()).toEqual([{ is_now: true }]);
  });

  it('deletes nothing, by maintenance or by command', async () => {
    await db.query("update games set retention_days = 30 where slug = 'demo-game'");
    await until(() => service.output().includes('maintenance was refused'), 300_000);
    expect(service.output()).not.toContain('a step of maintenance is done');
    const { code, output } = await runSavepoint(['retention', 'run'], { ...settings, ...AHEAD });
    expect(output).toContain(`${SENTENCE} One of the two is wrong, so nothing is deleted.`);
    expect(code).toBe(1);
    expect(await events()).toHaveLength(1);
    expect((await runSavepoint(['retention', 'run'], settings)).code).toBe(0);
  });

  it('says so in the log, on /readyz, in the metrics, in the admin API and by doctor', async () => {
    expect(service.output()).toContain(SENTENCE);
    // The workers are not ok where the primary, on a busy machine, does not say in time.
    await expect
      .poll(() => get(`${service.ops}/readyz`))
      .toMatchObject({
        status: 503,
        body: {
          status: 'not ready',
          checks: { database: 'ok', workers: 'ok', clock: expect.stringContaining(SENTENCE) },
        },
      });
    expect((await get(`${service.ops}/healthz`)).status).toBe(200);
    expect((await get(`${service.ops}/metrics`)).body).toMatch(
      /^savepoint_clock_offset_seconds 86(?:40|39)\d{3}(?:\.\d+)?$/m,
    );
    const made = await runSavepoint(['admin-token', 'create', '--role', 'viewer'], settings);
    const token = /Admin token {2}(\S+)/.exec(made.output)?.[1];
    const headers = { authorization: `Bearer ${token}` };
    expect(await get(`${service.ops}/admin/v1/installation/warnings`, headers)).toMatchObject({
      status: 200,
      body: { data: { warnings: [{ code: 'clock_off', message: expect.stringContaining(SENTENCE) }] } },
    });
    const doctor = await runSavepoint(['doctor'], { ...settings, ...AHEAD });
    expect(doctor.output).toContain(`  PROBLEM  clock: ${SENTENCE}`);
  });

  it.skipIf(!HAS_BROWSER)(`says so above every page of the console${NEEDS_BROWSER}`, async () => {
    const browser = await launchBrowser();
    try {
      const member = { email: 'olga@studio.example', role: 'owner', name: 'Olga' };
      const { page } = await signIn(browser, service, settings, member);
      await page.getByRole('alert').filter({ hasText: SENTENCE }).waitFor();
    } finally {
      await browser.close();
    }
  });
});
