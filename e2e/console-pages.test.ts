/** @module-tag full */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { closeConsole, openConsole, type Visitor, visit } from './support/console.js';
import { type Login, login, post, type Service, type Settings } from './support/service.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Every tab of every page, and the panels that open beside them. */
const PAGES = [
  '',
  '/analysis',
  '/analysis?tab=forecast',
  '/analysis?tab=funnel',
  '/analysis?tab=sql',
  '/players',
  '/players?find=page-device',
  '/store',
  '/store?sku=gems_80',
  '/store?tab=offers',
  '/store?tab=offers&offer=thank_you',
  '/store?tab=preview&invented=%7B%7D',
  '/store?tab=rules',
  '/store?tab=history',
  '/segments',
  '/segments?segment=payer',
  '/values',
  '/attributes',
  '/experiments',
  '/events',
  '/events?tab=types',
  '/events?tab=types&schema=%2B',
  '/events?tab=failed',
  '/events?tab=losses',
  '/events?tab=exports',
  '/predictions',
  '/settings?tab=keys',
  '/settings?tab=members',
  '/settings?tab=tokens',
  '/settings?tab=game',
  '/settings?tab=stores',
  '/settings?tab=games',
  '/settings?tab=rates',
  '/settings?tab=flags',
  '/settings?tab=predictions',
  '/settings?tab=limits',
  '/settings?tab=jobs',
  '/settings?tab=erasures',
  '/settings?tab=audit',
  '/settings?tab=account',
];
/** What another colour scheme can break. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

describe.skipIf(!HAS_BROWSER)(`the pages of the console${NEEDS_BROWSER}`, () => {
  let service: Service;
  let settings: Settings;
  let browser: Browser;
  let owner: Visitor;
  let player: Login;

  beforeAll(async () => {
    // The figures are those of one UTC day.
    const leftMs = 86_400_000 - (Date.now() % 86_400_000);
    if (leftMs < 600_000) await new Promise((resolve) => setTimeout(resolve, leftMs));
    ({ service, settings, browser, owner } = await openConsole());
    player = await login(service.api, 'page-device');
  }, 1_200_000);
  afterAll(closeConsole);

  const event = (eventType: string, payload: object = {}) => ({
    eventType,
    timestamp: new Date().toISOString(),
    payload,
  });
  const sendEvents = (...events: object[]) => post(`${service.api}/v1/events`, player.headers, events);

  it('leads a new studio from nothing to the first event, live', async () => {
    const { page, go } = owner;
    await go();
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    await page.getByRole('link', { name: 'Events', exact: true }).first().click();
    await page.getByText('live', { exact: true }).waitFor();
    await sendEvents(event('Level_Complete', { level: 7 }));
    await page.getByRole('button', { name: /Level_Complete.*"level":7/ }).click();
    await page.getByText('"receivedAt"', { exact: false }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(copied).toContain(`${service.api}/v1/events`);
    expect(await copied()).toContain('"payload":{"level":7}');

    // Paused, nothing moves; afterwards it goes on.
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendEvents(event('Level_Start', { level: 8 }));
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    await sendEvents(event('Level_Start', { level: 9 }));
    await page.getByRole('button', { name: /Level_Start.*"level":9/ }).waitFor();
  });

  it('goes back to where a page was left', async () => {
    const { page } = owner;
    const scrolled = () => page.evaluate<number>('window.scrollY');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const open = async (name: string) => {
      await pages.getByRole('link', { name: new RegExp(`^${name}`) }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    };
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1280, height: 400 });
    await open('Segments');
    // The page grows while its rows come in.
    const scroll = () => page.evaluate<number>('window.scrollTo(0, 100), window.scrollY');
    await expect.poll(scroll).toBe(100);
    // The router notes the place when the browser tells it of the scrolling, before the next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await open('Predictions');
    await expect.poll(scrolled).toBe(0);
    await page.goBack();
    await expect.poll(scrolled).toBe(100);
    if (size !== null) await page.setViewportSize(size);
  });

  it('shows the numbers of what was sent', async () => {
    const { page, go } = owner;
    const purchase = { transactionId: 't-1', skuId: 'gems_80', price: 0.99, currency: 'USD' };
    await sendEvents(event('Purchase', purchase), event('Ad_Impression'));
    await go();
    const figure = (id: string) => page.locator(`[data-figure=${id}]`).textContent();
    await expect.poll(() => figure('events')).toBe('5');
    expect(await figure('activePlayers')).toBe('1');
    expect(await figure('payingPlayers')).toBe('1');
    expect(await figure('revenue')).toBe('USD 0.99');
    expect(await figure('adImpressions')).toBe('1');
    await page.getByRole('heading', { name: 'By country' }).waitFor();
    await page.getByLabel('Broken down by').selectOption('sku');
    await page.getByRole('heading', { name: 'By SKU' }).waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe('sku');

    await go('/players?find=page-device');
    await page.getByRole('cell', { name: 'device id' }).waitFor();
    await page.getByRole('link', { name: player.userId }).click();
    await page.getByRole('group', { name: 'Paid' }).getByText('USD 0.99').waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const lines = () => timeline.locator('summary').allTextContents();
    await expect.poll(lines).toContain('Ad_Impression');
    await timeline.getByLabel('Events of one type').selectOption('Level_Start');
    await expect.poll(lines).toEqual(['Level_Start', 'Level_Start']);
    expect(new URL(page.url()).searchParams.get('type')).toBe('Level_Start');
    await timeline.getByLabel('What the timeline shows').selectOption('purchase,refund');
    await expect.poll(lines).toEqual([expect.stringMatching(/^Purchase gems_80 /)]);
    expect(new URL(page.url()).searchParams.get('type')).toBeNull();
    // Before yesterday there was nothing, and since then everything; the address holds the time.
    const inputTime = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    await timeline.getByRole('button', { name: 'Span of time' }).click();
    await timeline.getByLabel('Before', { exact: true }).fill(inputTime(Date.now() - 86_400_000));
    await timeline.getByText('Nothing of this kind in this time.').waitFor();
    await timeline.getByLabel('Before', { exact: true }).fill('');
    await timeline.getByLabel('From', { exact: true }).fill(inputTime(Date.now() - 86_400_000));
    await expect.poll(lines).toEqual([expect.stringMatching(/^Purchase gems_80 /)]);
    await page.reload();
    await expect.poll(lines).toEqual([expect.stringMatching(/^Purchase gems_80 /)]);
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-\d\d-\d\dT/);

    await go('/segments');
    await page.getByRole('link', { name: '1 · 100%' }).first().waitFor();
  });

  it('leads from the link of the start, by a new game and its key, to the first event, ticked live', async () => {
    const [link = ''] = /http\S+\/console\/sign-in#token=\S+/.exec(service.output()) ?? [];
    const { page, go, problems } = await visit(browser, service);
    await page.goto(link);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('tab', { name: 'Games' }).click();
    await page.getByRole('button', { name: 'Create a game' }).click();
    const panel = page.getByRole('dialog', { name: 'Create a game' });
    await panel.getByLabel('Name of the game').fill('New game');
    await panel.getByRole('button', { name: 'Create the game' }).click();

    const NEW = { studio: 'demo-studio', game: 'new-game' };
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    const steps = page.getByRole('list', { name: 'First steps' });
    const done = () => steps.getByRole('img', { name: 'done' }).count();
    expect(await done()).toBe(0);
    await steps.getByRole('link', { name: 'Create an API key' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secretShown = page.getByRole('alert').filter({ hasText: 'shown now and never again' });
    await secretShown.getByText('/v1/events', { exact: false }).waitFor();
    const [id = '', secret = '', command = ''] = await secretShown.locator('pre').allTextContents();

    // From here on the page is neither loaded again nor clicked: it looks by itself.
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await expect.poll(done).toBe(1);
    await login(service.api, 'new-device', { id, secret });
    await expect.poll(done).toBe(2);
    const { stdout } = await promisify(execFile)('bash', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { accepted: 1, rejected: [] } });
    await page.getByRole('heading', { name: 'First event received' }).waitFor();
    expect(await done()).toBe(3);
    await page.getByRole('button', { name: 'Show the numbers' }).click();
    const events = page.locator('[data-figure=events]');
    await expect.poll(() => events.textContent()).toBe('1');

    // A game that was played before is not new, also where the days that are shown have no event.
    const sql = new pg.Client({ connectionString: settings.DATABASE_URL });
    await sql.connect();
    await sql.query(
      'update game_days set day = day - 20 where game_id = (select id from games where slug = $1)',
      [NEW.game],
    );
    await sql.end();
    await go('?days=7', NEW);
    await page.getByRole('heading', { name: 'No event in the last 7 days' }).waitFor();
    await page.getByRole('link', { name: 'Show the last 90 days' }).click();
    await expect.poll(() => events.textContent()).toBe('0');
    expect(problems).toEqual([]);
  });

  it('shows events a second while events arrive', async () => {
    const { page, go } = owner;
    await go();
    let sent = 0;
    const sendAndLook = async () => {
      sent += 1;
      await sendEvents(event('Level_Start', { sent }));
      const rate = Number(await page.locator('[data-figure=eventsPerSecond]').textContent());
      // Looked at while events are sent: a few seconds later both would be gone.
      return rate > 0 && (await page.getByRole('img', { name: 'Events arrive now' }).isVisible());
    };
    await expect.poll(sendAndLook, { interval: 200 }).toBe(true);
  });

  it('corrects a failed event and replays it', async () => {
    const { page, go } = owner;
    const wrong = { eventType: 'Level_Complete', timestamp: 'yesterday', payload: { level: 10 } };
    expect((await sendEvents(wrong)).status).toBe(400);
    await go('/events?tab=failed');
    await page.getByRole('button', { name: 'timestamp_malformed' }).click();
    await page.getByRole('button', { name: 'Correct' }).click();
    const panel = page.getByRole('dialog');
    const text = await panel.getByLabel('The event').inputValue();
    await panel.getByLabel('The event').fill('{');
    await panel.getByText('This is not valid JSON.').waitFor();
    await panel.getByLabel('The event').fill(text.replace('yesterday', new Date().toISOString()));
    await panel.getByRole('button', { name: 'Replay this event' }).click();
    await page.getByRole('heading', { name: 'No event is waiting' }).waitFor();
  });

  it('makes a key that logs players in, and rotates it', async () => {
    const { page, go } = owner;
    await go('/settings?tab=keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('What it is for').fill('build 2');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secretShown = page.getByRole('alert').filter({ hasText: 'shown now and never again' });
    await secretShown.getByText('/auth/login', { exact: false }).waitFor();
    const codes = await secretShown.locator('pre').allTextContents();
    const key = { id: codes[0] ?? '', secret: codes[1] ?? '' };
    expect((await login(service.api, 'key-device', key)).userId).toMatch(/^[\da-f-]{36}$/);
    expect(codes[2]).toContain(`${service.api}/auth/login`);

    const row = page.getByRole('row').filter({ hasText: key.id });
    await row.getByRole('button', { name: 'Rotate or revoke' }).click();
    await page.getByLabel('The old key still works for').selectOption('0');
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await expect.poll(async () => (await secretShown.locator('pre').allTextContents())[0]).not.toBe(key.id);
    const [id = '', secret = ''] = await secretShown.locator('pre').allTextContents();
    expect((await login(service.api, 'key-device-2', { id, secret })).userId).toMatch(/^[\da-f-]{36}$/);
    await expect(login(service.api, 'key-device-3', key)).rejects.toThrow('401');
  });

  /** Until everything is loaded, and no colour is on its way to another one. */
  const settled = () =>
    owner.page.waitForFunction(
      () =>
        document.querySelector('h1') !== null &&
        document.querySelector('[aria-label=Loading], .mantine-Skeleton-root') === null &&
        !document.getAnimations().some((each) => each instanceof CSSTransition),
    );
  /** The problems that axe finds on the page as it is; by some of its rules, or by all. */
  const problemsOf = (rules: string[] | null): Promise<string[]> =>
    owner.page.evaluate(async (only) => {
      type Violation = { id: string; nodes: { html: string }[] };
      type Axe = { run(options: object): Promise<{ violations: Violation[] }> };
      const { violations } = await (window as unknown as { axe: Axe }).axe.run({
        resultTypes: ['violations'],
        ...(only === null ? {} : { runOnly: only }),
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }, rules);

  it('has no problem for axe, on any tab, light, dark and on a phone', async () => {
    const { page, go } = owner;
    const axe = await readFile(AXE, 'utf8');
    const found: string[] = [];
    for (const path of [...PAGES, `/players/${player.userId}`]) {
      await go(path);
      await settled();
      await page.evaluate(axe);
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
        await settled();
        const problems = await problemsOf(scheme === 'light' ? null : COLOUR_RULES);
        found.push(...problems.map((problem) => `${path}, ${scheme}: ${problem}`));
      }
      await page.emulateMedia({ colorScheme: 'light' });
      const size = page.viewportSize();
      await page.setViewportSize({ width: 390, height: 844 });
      await settled();
      const narrow = await problemsOf(['scrollable-region-focusable']);
      found.push(...narrow.map((problem) => `${path}, 390 pixels: ${problem}`));
      if (size !== null) await page.setViewportSize(size);
    }
    expect(found).toEqual([]);
    expect(owner.problems).toEqual([]);
  }, 600_000);

  it('works at 390 pixels, and by keyboard', async () => {
    const { page, go } = owner;
    await page.setViewportSize({ width: 390, height: 844 });
    const narrow = ['', '/store', '/store?tab=preview&invented=%7B%7D', '/segments', '/events'];
    for (const path of [...narrow, '/predictions', '/settings?tab=flags', `/players/${player.userId}`]) {
      await go(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-label=Loading]') === null);
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(width, { message: path }).toBeLessThanOrEqual(390);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    // The second key counts for a moment only, which a busy machine may miss.
    const goToStore = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      return page.getByRole('heading', { name: 'Store', level: 1 }).isVisible();
    };
    await expect.poll(goToStore, { interval: 500 }).toBe(true);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    const handle = page.getByRole('button', { name: 'Move starter_pack: Alt and arrow keys' });
    await handle.focus();
    await page.keyboard.press('Alt+ArrowUp');
    const first = page.getByRole('table', { name: 'Catalogue' }).getByRole('row').nth(1);
    await expect.poll(() => first.textContent()).toContain('starter_pack');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => first.textContent()).toContain('gems_80');
  }, 600_000);
});
