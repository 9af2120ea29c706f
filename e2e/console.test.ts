import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { closeConsole, openConsole, signIn, signInToken, type Visitor, visit } from './support/console.js';
import { runHere } from './support/run-here.js';
import { get, login, post, type Service, type Settings } from './support/service.js';

type Store = { activeSkus: { skuId: string; offerPrice: unknown }[] };

describe.skipIf(!HAS_BROWSER)(`the console${NEEDS_BROWSER}`, () => {
  let service: Service;
  let settings: Settings;
  let browser: Browser;
  let owner: Visitor;

  beforeAll(async () => {
    ({ service, settings, browser, owner } = await openConsole());
  }, 600_000);
  afterAll(closeConsole);

  const store = async (device: string): Promise<string> => {
    const { headers } = await login(service.api, device);
    return JSON.stringify((await get(`${service.api}/v1/player/store_configs`, headers)).body as Store);
  };

  it('signs in by a link that works once, and keeps to its policy', async () => {
    const token = await signInToken(settings, { email: 'once@studio.example', role: 'viewer' });
    const first = await visit(browser, service);
    await first.page.goto(`${service.ops}/`);
    await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const asked: string[] = [];
    first.page.on('request', (request) => asked.push(request.url()));
    await first.page.goto(`${service.ops}/console/sign-in#token=${token}`);
    await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(first.page.url()).toBe(`${service.ops}/console/demo-studio/demo-game`);
    expect(first.problems).toEqual([]);
    expect(asked).toContain(`${service.ops}/admin/v1/sign-in/link`);
    // The browser tells what is behind the `#` to scripts of the page only; what it sends has no token.
    expect(asked.map((url) => url.replace(/#.*/, '')).join(' ')).not.toContain(token);

    const second = await visit(browser, service);
    await second.page.goto(`${service.ops}/console/sign-in#token=${token}`);
    await second.page.getByRole('heading', { name: 'This link does not sign you in' }).waitFor();
    expect(second.page.url()).toBe(`${service.ops}/console/sign-in`);
    await second.page.getByRole('button', { name: 'Sign in with a password' }).click();
    await second.page.getByLabel('Email').waitFor();
    // A link that is opened in the same tab differs behind the `#` only, and works all the same.
    const other = await signInToken(settings, { email: 'twice@studio.example', role: 'viewer' });
    await second.page.goto(`${service.ops}/console/sign-in#token=${other}`);
    await second.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('lets somebody join by the link of an invitation, which no request carries in its address', {
    tags: ['full'],
  }, async () => {
    const { page, go } = owner;
    await go('/settings?tab=members');
    await page.getByRole('button', { name: 'Invite a member' }).click();
    const panel = page.getByRole('dialog', { name: 'Invite a member' });
    await panel.getByLabel('Email').fill('joan@studio.example');
    await panel.getByRole('button', { name: 'Make the link' }).click();
    const link = await panel.getByText(/\/console\/invitation#token=/).innerText();
    const token = link.split('=').at(-1) ?? '';
    expect(token).toHaveLength(43);

    const joan = await visit(browser, service);
    const asked: string[] = [];
    joan.page.on('request', (request) => asked.push(request.url().replace(/#.*/, '')));
    await joan.page.goto(link);
    await joan.page.getByRole('heading', { name: 'Join Demo Studio' }).waitFor();
    expect(joan.page.url()).toBe(`${service.ops}/console/invitation`);
    await joan.page.getByLabel('Your name').fill('Joan');
    await joan.page.getByRole('textbox', { name: 'New password' }).fill('nine purple otters sing');
    await joan.page.getByRole('button', { name: 'Join' }).click();
    await joan.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(asked.join(' ')).not.toContain(token);
    expect(joan.problems).toEqual([]);
  });

  it('loads less than 260 kB of script first', { tags: ['full'] }, async () => {
    const visitor = await visit(browser, service);
    // Without the other pages, which the console loads when the browser is idle: before or after the heading.
    await visitor.page.addInitScript(() => {
      window.requestIdleCallback = () => 0;
    });
    const sizes: number[] = [];
    visitor.page.on('response', (response) => {
      if (response.url().endsWith('.js'))
        sizes.push(Number(response.headers()['content-length'] ?? Number.NaN));
    });
    const token = await signInToken(settings, { email: 'size@studio.example', role: 'viewer' });
    await visitor.page.goto(`${service.ops}/console/sign-in#token=${token}`);
    await visitor.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(sizes.length).toBeGreaterThan(1);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(260_000);
  });

  it('edits a price, publishes it, and the player API serves it', async () => {
    const { page, go } = owner;
    expect(await store('price-device')).not.toContain('"1.49"');
    await go('/store');
    const bar = page.getByRole('region', { name: 'Draft' });
    const price = page.getByLabel('Offer price of gems_80 in USD', { exact: true });
    await page.getByLabel('Price of gems_80 in USD', { exact: true }).fill('1.99');
    await price.fill('1.495');
    await bar.getByText(/problem/).waitFor();
    await page.getByText('An amount of USD has 2 decimals at most.').first().waitFor();
    expect(await price.inputValue()).toBe('1.495');
    await price.fill('1.49');
    await bar.getByText(/problem/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await bar.getByText('1 change', { exact: false }).waitFor();
    // Nothing of a draft reaches players.
    expect(await store('price-device')).not.toContain('1.49');

    await page.getByRole('button', { name: 'Publish' }).click();
    const panel = page.getByRole('dialog', { name: 'Publish the draft' });
    await panel.getByText('prices › USD › offerPrice').waitFor();
    // The button does not wait for the numbers of the dry run, which come by themselves.
    expect(await panel.getByRole('button', { name: 'Publish' }).isEnabled()).toBe(true);
    const prices = panel.getByRole('table', { name: 'Prices' });
    await prices.getByRole('row', { name: /^gems_80 .*1\.49/ }).waitFor();
    await panel.getByLabel('Note').fill('Gems cost more');
    await panel.getByRole('button', { name: 'Publish' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await store('price-device')).toContain('1.49');

    await go('/store?tab=history');
    await page.getByRole('cell', { name: 'Gems cost more' }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('shows the store as the player gets it, with the reason beside the price', {
    tags: ['full'],
  }, async () => {
    const { page, go } = owner;
    const player = await login(service.api, 'payer-device');
    const purchase = {
      eventType: 'Purchase',
      timestamp: new Date().toISOString(),
      payload: { transactionId: 'order-1', skuId: 'starter_pack', price: 4.99, currency: 'USD' },
    };
    expect((await post(`${service.api}/v1/events`, player.headers, [purchase])).status).toBe(202);
    const served = (await get(`${service.api}/v1/player/store_configs`, player.headers)).body;
    expect(JSON.stringify(served)).toContain('7.5');

    // Found by the number of the order, from any page.
    await go('/store');
    await page.getByLabel('Name of gems_80').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('order-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Store as seen' }).click();
    expect(page.url()).toContain(player.userId);
    const chest = page.getByLabel('gems_1200', { exact: true });
    await chest.getByText('USD 7.50').waitFor();
    await chest.getByText('offer thank_you asked for 7.50').waitFor();
    await page.getByText('Purchase starter_pack USD 4.99, transaction order-1').waitFor();

    // An override is obeyed with the next request, and explained.
    await page.getByLabel('isPayer', { exact: true }).getByRole('button', { name: 'Override' }).click();
    const panel = page.getByRole('dialog', { name: 'Override isPayer' });
    await panel.getByLabel('Value').selectOption('no');
    await panel.getByLabel('Reason').fill('Chargeback');
    await panel.getByRole('button', { name: 'Set the flag' }).click();
    await chest.getByText('USD 10.00').waitFor();
    await page.getByText('Olga: “Chargeback”').waitFor();
    await page.getByTitle('olga@studio.example').filter({ hasText: 'Olga' }).waitFor();
    const after = (await get(`${service.api}/v1/player/store_configs`, player.headers)).body;
    expect(JSON.stringify(after)).not.toContain('7.5');
    expect(owner.problems).toEqual([]);
  });

  it('asks before prices go up for players who see an offer now', { tags: ['full'] }, async () => {
    const { page, go } = owner;
    // What offers are worth is asked on the overview, and answered by players who get none.
    await go();
    await page.getByRole('link', { name: 'Hold some players out' }).click();
    await page.getByLabel('Players held out, in percent').waitFor();
    await page.getByRole('button', { name: /^Thank you/ }).click();
    await page.getByLabel('Percent off the offer price').fill('20');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish' }).click();
    const panel = page.getByRole('dialog', { name: 'Publish the draft' });
    await panel.getByRole('button', { name: 'Publish' }).click();
    const alert = panel.getByRole('alert').filter({ hasText: 'Prices would go up' });
    await alert.getByText('gems_1200 in offer thank_you: USD 7.50 → USD 8.00').waitFor();
    expect(await alert.textContent()).not.toContain('confirmPriceRaises');
    await panel.getByLabel('These prices are meant to go up').check();
    await panel.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
    expect(owner.problems).toEqual([]);
  });

  it('lets two editors meet without overwriting anything', { tags: ['full'] }, async () => {
    const ana = await signIn(browser, service, settings, {
      email: 'ana@studio.example',
      role: 'editor',
      name: 'Ana',
    });
    const ben = await signIn(browser, service, settings, {
      email: 'ben@studio.example',
      role: 'editor',
      name: 'Ben',
    });
    for (const { go, page } of [ana, ben]) {
      await go('/store');
      await page.getByLabel('Name of gems_80').waitFor();
    }
    const told = ({ page }: Visitor) => page.getByRole('status', { name: 'Other editors' });
    await told(ana).getByText('Ben has this draft open').waitFor();
    await ana.page.getByLabel('Name of gems_80').fill('Pile of Gems');
    await told(ben)
      .getByText(/^Ana has this draft open, and changed it .*, not saved$/)
      .waitFor();
    await ben.page.getByLabel('Name of season_pass').fill('Season Ticket');
    await ana.page.getByRole('button', { name: 'Save draft' }).click();
    await ana.page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });

    await ben.page.getByText('Ana has saved the draft', { exact: false }).waitFor();
    await ben.page.getByRole('button', { name: 'Show both' }).click();
    const panel = ben.page.getByRole('dialog', { name: 'Ana saved the draft before you' });
    await panel.getByText('by ana@studio.example. Nothing was overwritten', { exact: false }).waitFor();
    await panel.getByRole('button', { name: 'Put mine on top' }).click();
    // Hers is there, and so is what he typed.
    await expect.poll(() => ben.page.getByLabel('Name of gems_80').inputValue()).toBe('Pile of Gems');
    await expect.poll(() => ben.page.getByLabel('Name of season_pass').inputValue()).toBe('Season Ticket');
    await ben.page.getByRole('button', { name: 'Save draft' }).click();
    await ben.page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await ana.page.reload();
    await expect.poll(() => ana.page.getByLabel('Name of season_pass').inputValue()).toBe('Season Ticket');
    await ana.page.getByText('Ben,', { exact: false }).waitFor();

    // The other way on: theirs, and later mine.
    await ana.page.getByLabel('Name of gems_80').fill('Heap of Gems');
    await ben.page.getByLabel('Name of gems_80').fill('Hill of Gems');
    await ben.page.getByRole('button', { name: 'Save draft' }).click();
    await ben.page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await ana.page.getByRole('button', { name: 'Save draft' }).click();
    const asked = ana.page.getByRole('dialog', { name: 'Ben saved the draft before you' });
    await asked.getByText('SKU gems_80 › name › default').waitFor();
    await asked.getByRole('button', { name: 'Load theirs, set mine aside' }).click();
    await expect.poll(() => ana.page.getByLabel('Name of gems_80').inputValue()).toBe('Hill of Gems');
    await ana.page.getByRole('button', { name: 'Show 1 change of yours that was not saved' }).click();
    const aside = ana.page.getByRole('dialog', { name: 'Your changes that were not saved' });
    await aside.getByText('Heap of Gems').waitFor();
    await aside.getByRole('button', { name: 'Put them on top' }).click();
    await expect.poll(() => ana.page.getByLabel('Name of gems_80').inputValue()).toBe('Heap of Gems');
    // Who goes to another page no longer has the draft open.
    await ben.go('/players');
    await told(ana).getByText('Ben has this draft open').waitFor({ state: 'detached' });
    expect([...ana.problems, ...ben.problems]).toEqual([]);
  });

  it('offers a viewer nothing to change, and the API refuses them too', { tags: ['full'] }, async () => {
    const viewer = await signIn(browser, service, settings, { email: 'vera@studio.example', role: 'viewer' });
    const { page, go } = viewer;
    await go('/store');
    const name = page.getByLabel('Name of gems_80');
    await name.waitFor();
    expect(await name.getAttribute('readonly')).not.toBeNull();
    for (const button of ['Add SKU', 'Import', 'Publish', 'Save draft', 'Discard']) {
      expect(await page.getByRole('button', { name: button }).count(), button).toBe(0);
    }
    const status = await page.evaluate(async () => {
      const { data } = await (await fetch('/admin/v1/me')).json();
      const response = await fetch('/admin/v1/games/demo-game/draft?revision=1', {
        method: 'DELETE',
        headers: { 'x-csrf-token': data.csrfToken },
      });
      return response.status;
    });
    expect(status).toBe(403);
  });

  it('shows nothing of one studio to another', { tags: ['full'] }, async () => {
    await runHere(['tenant', 'create', 'other-studio'], settings);
    await runHere(['game', 'create', 'other-game', '--tenant', 'other-studio'], settings);
    const member = { email: 'otto@other.example', role: 'owner', tenant: 'other-studio' };
    const { page, go } = await signIn(browser, service, settings, member);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${service.ops}/console/other-studio/other-game`);
    await go('/store');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('body').textContent()).not.toMatch(/gems_80|Demo|Olga/);
    const statuses = await page.evaluate(async () => {
      const paths = ['/draft', '/players', '/versions', '/dashboard'];
      const ask = async (path: string, headers: Record<string, string>) =>
        (await fetch(`/admin/v1/games/demo-game${path}`, { headers })).status;
      return Promise.all(
        paths.flatMap((path) => [ask(path, {}), ask(path, { 'x-tenant-id': 'demo-studio' })]),
      );
    });
    expect(new Set(statuses)).toEqual(new Set([403, 404]));
  });

  it('leads the owner of an empty studio to a first game, and makes another one in the settings', {
    tags: ['full'],
  }, async () => {
    await runHere(['tenant', 'create', 'new-studio'], settings);
    const open = async (email: string, role: string) => {
      const visitor = await visit(browser, service);
      const token = await signInToken(settings, { email, role, tenant: 'new-studio' });
      await visitor.page.goto(`${service.ops}/console/sign-in#token=${token}`);
      await visitor.page.getByRole('heading', { name: 'new-studio has no game yet' }).waitFor();
      return visitor;
    };
    const editor = await open('ed@new.example', 'editor');
    await editor.page.getByText('Ask an owner of the studio', { exact: false }).waitFor();
    expect(await editor.page.getByRole('button', { name: 'Create the game' }).count()).toBe(0);

    const { page, problems } = await open('nora@new.example', 'owner');
    await page.getByLabel('Name of the game').fill('Rocket Race');
    expect(await page.getByLabel('Id of the game').inputValue()).toBe('rocket-race');
    await page.getByRole('button', { name: 'Create the game' }).click();
    await page.getByRole('heading', { name: 'No event has arrived yet' }).waitFor();
    expect(page.url()).toBe(`${service.ops}/console/new-studio/rocket-race`);

    await page.goto(`${service.ops}/console/new-studio/rocket-race/settings?tab=games`);
    await page.getByRole('button', { name: 'Create a game' }).click();
    const panel = page.getByRole('dialog', { name: 'Create a game' });
    await panel.getByLabel('Name of the game').fill('Rocket Race');
    await panel.getByRole('button', { name: 'Create the game' }).click();
    await panel.getByRole('alert').filter({ hasText: 'has a game with this id already' }).waitFor();
    expect(await panel.getByLabel('Name of the game').inputValue()).toBe('Rocket Race');
    await panel.getByLabel('Id of the game').fill('rocket-race-2');
    await panel.getByRole('button', { name: 'Create the game' }).click();
    await page.waitForURL(`${service.ops}/console/new-studio/rocket-race-2`);
    await expect.poll(() => page.getByLabel('Game', { exact: true }).inputValue()).toBe('rocket-race-2');
    expect(problems).toEqual([]);
  });

  it('signs out, and the session is over', { tags: ['full'] }, async () => {
    const { page, context } = await signIn(browser, service, settings, {
      email: 'gone@studio.example',
      role: 'viewer',
    });
    const cookies = await context.cookies();
    await page.getByRole('button', { name: 'gone' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.addCookies(cookies);
    await page.goto(`${service.ops}/console/demo-studio/demo-game/store`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(page.url()).toContain('next=');
  });
});
