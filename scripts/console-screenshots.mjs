// Takes a picture of every page of the console in light and dark, with simulated players: node scripts/console-screenshots.mjs [folder]
// People look at them after a change. Needs `npm run build` first, and Chromium.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import {
  addGrades,
  backdatePlayers,
  backdateVersion,
  exposePlayers,
  withLiveOps,
} from './screenshot-data.mjs';

const SAVEPOINT = fileURLToPath(new URL('../server/bin/savepoint.mjs', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const folder = process.argv[2] ?? 'console-screenshots';
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };

const data = await mkdtemp(join(tmpdir(), 'savepoint-screenshots-'));
// As root, PostgreSQL runs as a user who could not enter a 0700 folder.
await chmod(data, 0o755);
const env = {
  ...process.env,
  SAVEPOINT_ENV: 'development',
  SAVEPOINT_DATA_DIR: data,
  SAVEPOINT_PORT: '0',
  SAVEPOINT_OPS_PORT: '0',
};
const service = spawn(process.execPath, [SAVEPOINT, 'start'], {
  env,
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
});
try {
  await main();
} finally {
  const gone = new Promise((resolve) => service.once('exit', resolve));
  process.kill(-service.pid, 'SIGINT');
  await gone;
  await rm(data, { recursive: true, force: true });
}

async function main() {
  const output = await ready();
  const address = (name) => new RegExp(`${name}\\s+(http://\\S+)`).exec(output)?.[1];
  const [api, ops] = [address('Player API'), address('Operations')];
  console.log('Simulating players, which takes some minutes…');
  // As many as the models need, so that churn is predicted; there are too few payers for the other models.
  await run(['simulate', '--players', '3000', '--days', '80', '--url', api]);
  await backdatePlayers(data);
  await run(['train', '--tenant', 'demo-studio', '--game', 'demo-game']);
  await addGrades(data);
  await run(['game', 'create', 'new-game', '--tenant', 'demo-studio']);
  const made = await run([
    'admin',
    'create',
    '--email',
    'ana@studio.example',
    '--name',
    'Ana',
    '--role',
    'owner',
    '--tenant',
    'demo-studio',
  ]);
  const token = /token=([\w-]+)/.exec(made)?.[1];

  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({ locale: 'en-US', viewport: WIDE });
  const page = await context.newPage();
  await page.goto(`${ops}/console/sign-in`);
  await shoot(page, 'sign-in');
  await page.goto(`${ops}/console/sign-in#token=${token}`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const base = `${ops}/console/demo-studio/demo-game`;
  const player = await findPayer(page);
  await publishOffer(page, base);
  await backdateVersion(data);
  await publishLiveOps(page);
  await exposePlayers(data);
  await makeDraft(page, base);
  await startExport(page, base);
  await startBackTest(page, base);
  const invitation = await invite(page, base);

  const pages = {
    overview: '',
    'overview-revenue': '?show=revenue',
    players: '/players',
    player: `/players/${player}`,
    store: '/store',
    'store-sku': '/store?sku=gems_1200',
    'store-offers': '/store?tab=offers',
    'store-offer': '/store?tab=offers&offer=thank_you',
    'store-preview': '/store?tab=preview&invented=%7B%22purchases.total%22%3A%222%22%7D',
    'store-calendar': '/store?tab=calendar',
    'store-limits': '/store?tab=rules',
    'store-history': '/store?tab=history',
    compare: '/store?panel=compare',
    'dry-run': '/store?panel=dry-run',
    'back-test': '/store?panel=back-test',
    publish: '/store?panel=publish',
    segments: '/segments',
    segment: '/segments?segment=payer',
    values: '/values',
    value: '/values?value=jump_height',
    attributes: '/attributes',
    attribute: '/attributes?attribute=level',
    experiments: '/experiments',
    experiment: '/experiments?experiment=high_jump',
    'experiment-edit': '/experiments?edit=high_jump',
    'events-live': '/events',
    'events-types': '/events?tab=types',
    'events-schema': '/events?tab=types&schema=%2B',
    'events-failed': '/events?tab=failed',
    'events-failed-reason': `/events?tab=failed&reason=${await findReason(page)}`,
    'events-losses': '/events?tab=losses',
    'events-exports': '/events?tab=exports',
    predictions: '/predictions',
    'settings-keys': '/settings?tab=keys',
    'settings-members': '/settings?tab=members',
    'settings-tokens': '/settings?tab=tokens',
    'settings-flags': '/settings?tab=flags',
    'settings-predictions': '/settings?tab=predictions',
    'settings-limits': '/settings?tab=limits',
    'settings-game': '/settings?tab=game',
    'settings-games': '/settings?tab=games',
    'settings-jobs': '/settings?tab=jobs',
    'settings-audit': '/settings?tab=audit',
    'settings-account': '/settings?tab=account',
  };
  const login = await logIn(api);
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${base}${path}`);
    await shoot(page, name, name === 'events-live' ? () => play(api, login) : undefined);
  }
  await page.goto(`${ops}/console/demo-studio/new-game`);
  await shoot(page, 'first-steps');
  const guest = await (await browser.newContext({ locale: 'en-US', viewport: WIDE })).newPage();
  await guest.goto(invitation);
  await shootScheme(guest, 'invitation', 'light');
  await page.setViewportSize(NARROW);
  const narrow = [
    ...['overview', 'player', 'store', 'store-offer', 'store-calendar', 'segments', 'values', 'attributes'],
    ...['experiments', 'experiment', 'experiment-edit', 'back-test', 'events-live'],
  ];
  for (const name of narrow) {
    await page.goto(`${base}${pages[name]}`);
    await shoot(page, `narrow-${name}`);
  }
  await browser.close();
  console.log(`The pictures are in ${folder}.`);
}

async function shoot(page, name, before = async () => {}) {
  await page.waitForLoadState('domcontentloaded');
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const scheme of ['light', 'dark']) {
    await page.evaluate((value) => localStorage.setItem('mantine-color-scheme-value', value), scheme);
    await page.reload();
    await shootScheme(page, name, scheme, before);
  }
}

async function shootScheme(page, name, scheme, before = async () => {}) {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(
    () => document.querySelector('[aria-label=Loading], .mantine-Skeleton-root') === null,
  );
  await before();
  // Panels slide in, charts measure their width.
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
}

async function logIn(api) {
  const deviceId = 'picture-device';
  const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
  const signature = createHmac('sha256', 'dev-secret')
    .update(`dev-key|${deviceId}|${timestamp}`)
    .digest('base64');
  const body = JSON.stringify({ apiKey: 'dev-key', deviceId, timestamp, signature });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${api}/auth/login`, { method: 'POST', headers, body })).json();
}

/** A few events, for the live tail. */
async function play(api, { accessToken, tenantId, gameId, userId }) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${accessToken}`,
    'x-tenant-id': tenantId,
    'x-game-id': gameId,
    'x-player-id': userId,
  };
  const types = ['Session_Start', 'Level_Start', 'Level_Complete', 'Ad_Impression', 'Store_View'];
  for (let level = 1; level <= 4; level++) {
    const events = types.map((eventType, n) => ({
      eventType,
      timestamp: new Date(Date.now() - (types.length - n) * 700).toISOString(),
      payload: { level, sessionId: 'picture' },
    }));
    await fetch(`${api}/v1/events`, { method: 'POST', headers, body: JSON.stringify(events) });
  }
  // A look of the tail, and the next.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}

/** One of the payers with the most purchases. */
async function findPayer(page) {
  return page.evaluate(async () => {
    const response = await fetch('/admin/v1/games/demo-game/players?segment=payer&limit=100');
    const { data } = await response.json();
    return data.players.sort((a, b) => b.purchaseCount - a.purchaseCount)[0].playerId;
  });
}

/** Why most events were refused. */
async function findReason(page) {
  return page.evaluate(async () => {
    const response = await fetch('/admin/v1/games/demo-game/failed-events?limit=1');
    const { data } = await response.json();
    return data.groups[0].reason;
  });
}

/** A second version of the store. */
async function publishOffer(page, base) {
  await page.goto(`${base}/store?tab=offers`);
  await page.getByRole('button', { name: 'Add offer' }).click();
  await page.getByLabel('Rule (CEL)').fill('purchases.total == 0 && daysSinceFirstSeen >= 3');
  await page.getByLabel('Percent off the offer price').fill('20');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish' }).click();
  const panel = page.getByRole('dialog', { name: 'Publish the draft' });
  await panel.getByLabel('Note').fill('A first purchase for less');
  await panel.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
}

/** A third one, with values, own attributes and an experiment. */
async function publishLiveOps(page) {
  const draft = await ask(page, 'GET', '/draft');
  const body = { revision: draft.revision, document: withLiveOps(draft.document) };
  const { revision } = await ask(page, 'PUT', '/draft', body);
  await ask(page, 'POST', '/draft/publish', { revision, note: 'Does a higher jump help?' });
}

/** As the page asks. */
function ask(page, method, path, body) {
  return page.evaluate(
    async ([how, where, sent]) => {
      const me = await (await fetch('/admin/v1/me')).json();
      const headers = {
        'x-csrf-token': me.data.csrfToken,
        ...(sent && { 'content-type': 'application/json' }),
      };
      const request = { method: how, headers, ...(sent && { body: JSON.stringify(sent) }) };
      const response = await fetch(`/admin/v1/games/demo-game${where}`, request);
      const responded = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(responded));
      return responded.data;
    },
    [method, path, body],
  );
}

async function startBackTest(page, base) {
  await page.goto(`${base}/store?panel=back-test`);
  await page.getByRole('button', { name: 'Run the back-test' }).click();
  await page.getByText('who were here since then').waitFor({ timeout: 300_000 });
}

async function startExport(page, base) {
  await page.goto(`${base}/events?tab=exports`);
  await page.getByRole('button', { name: 'Start the export' }).click();
  await page.getByRole('button', { name: 'Download' }).waitFor();
}

/** The link for a new member. */
async function invite(page, base) {
  await page.goto(`${base}/settings?tab=members`);
  await page.getByRole('button', { name: 'Invite a member' }).click();
  const panel = page.getByRole('dialog', { name: 'Invite a member' });
  await panel.getByLabel('Email').fill('ben@studio.example');
  await panel.getByRole('button', { name: 'Make the link' }).click();
  return panel.getByText(/\/console\/invitation#token=/).innerText();
}

async function makeDraft(page, base) {
  await page.goto(`${base}/store`);
  await page.getByLabel('Offer price of season_pass in USD', { exact: true }).fill('12.99');
  await page.getByLabel('Name of gems_80').fill('Pouch of Gems');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
}

function ready() {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk) => {
      text += chunk;
      if (text.includes('Press Ctrl-C to stop')) resolve(text);
    };
    service.stdout.on('data', read);
    service.stderr.on('data', read);
    service.once('exit', () => reject(new Error(`the service ended: ${text}`)));
  });
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SAVEPOINT, ...args], { env });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${args[0]}: ${text}`))));
  });
}
