/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { closeConsole, openConsole, signIn, type Visitor } from './support/console.js';
import { get, type Login, login, post, type Service } from './support/service.js';

/** A red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(!HAS_BROWSER)(`what is edited in the console besides prices${NEEDS_BROWSER}`, () => {
  let service: Service;
  let owner: Visitor;
  let viewer: Visitor;
  let editor: Visitor;
  let player: Login;

  beforeAll(async () => {
    const { browser, settings, ...opened } = await openConsole();
    ({ service, owner } = opened);
    viewer = await signIn(browser, service, settings, { email: 'vera@studio.example', role: 'viewer' });
    const eve = { email: 'eve@studio.example', role: 'editor', name: 'Eve' };
    editor = await signIn(browser, service, settings, eve);
    player = await login(service.api, 'edit-device');
  }, 400_000);
  afterAll(closeConsole);

  const send = (level: unknown) =>
    post(`${service.api}/v1/events`, player.headers, [
      { eventType: 'Level_Complete', timestamp: new Date().toISOString(), payload: { level } },
    ]);
  const publish = async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish' }).click();
    const panel = page.getByRole('dialog', { name: 'Publish the draft' });
    await panel.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
  };

  it('registers a schema, by which the next event is checked, replaces it and retires it', async () => {
    const { page, go } = owner;
    expect((await send('seven')).status).toBe(202);
    await go('/events?tab=types');
    await page.getByRole('button', { name: 'Register a schema' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByLabel('Event type').fill('Level_Complete');
    const text = panel.getByLabel('JSON Schema');
    await text.fill('{');
    await panel.getByText('This is not valid JSON.').waitFor();
    await text.fill('{"type": "objekt"}');
    await panel.getByRole('button', { name: 'Register the schema' }).click();
    await panel.getByRole('alert').filter({ hasText: 'event_schema_invalid' }).waitFor();
    const schema = { properties: { payload: { properties: { level: { type: 'integer' } } } } };
    await text.fill(JSON.stringify(schema));
    await panel.getByRole('button', { name: 'Register the schema' }).click();
    await panel.getByText('Version 1 is registered').waitFor();
    const refused = await send('seven');
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('level');
    expect((await send(7)).status).toBe(202);

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Schema of Level_Complete' }).click();
    await panel.getByText('Version 1, registered by', { exact: false }).waitFor();
    await panel.getByLabel('JSON Schema').fill('{}');
    await panel.getByRole('button', { name: 'Register as the next version' }).click();
    await panel.getByText('Version 2 is registered').waitFor();
    // The form of the new version takes the place of the one before, and with it of a question that was asked there.
    await panel.getByText('Version 2, registered by', { exact: false }).waitFor();
    expect((await send('seven')).status).toBe(202);
    await panel.getByRole('button', { name: 'Check it no longer' }).click();
    await panel.getByRole('button', { name: 'Yes, accept any event of this type' }).click();
    await panel.waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.getByRole('button', { name: 'Schema of Level_Complete' }).textContent())
      .toBe('register');

    await viewer.go('/events?tab=types');
    await viewer.page.getByRole('cell', { name: 'Level_Complete', exact: true }).waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Register a schema' }).count()).toBe(0);
    expect([...owner.problems, ...viewer.problems]).toEqual([]);
  });

  it('names types that are probably misspelt, holds types without a schema, and leads from the inbox to the schema', async () => {
    const { page, go } = owner;
    const sendType = async (eventType: string, n: number) => {
      const event = { eventType, timestamp: new Date().toISOString(), payload: { n } };
      return (await post(`${service.api}/v1/events`, player.headers, [event])).status;
    };
    for (const n of [1, 2]) expect(await sendType('Boss_Defeated', n)).toBe(202);
    expect(await sendType('purchase', 1)).toBe(202);
    await go('/events?tab=types');
    const misspelt = page.getByRole('alert').filter({ hasText: 'One type is probably misspelt' });
    await misspelt.getByText('purchase (1 event) has none of the effects of Purchase').waitFor();

    await page.getByRole('button', { name: 'Hold them in the inbox' }).click();
    await page.getByText('The next events of Boss_Defeated, purchase will wait', { exact: false }).waitFor();
    await page.getByText('3 such events came', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Yes, hold them' }).click();
    const policy = page.getByRole('status', { name: 'Types without a schema' });
    await expect.poll(() => policy.textContent()).toContain('wait in the inbox');
    expect(await sendType('Boss_Defeated', 3)).toBe(400);
    expect((await send(7)).status).toBe(202);

    await page.getByRole('button', { name: 'What waits there' }).click();
    await page.getByRole('button', { name: 'Register Boss_Defeated' }).click();
    const panel = page.getByRole('dialog', { name: 'Schema of Boss_Defeated' });
    await panel.getByLabel('JSON Schema').fill('{}');
    await panel.getByRole('button', { name: 'Register the schema' }).click();
    await panel.getByText('Version 1 is registered').waitFor();
    expect(await sendType('Boss_Defeated', 4)).toBe(202);
    await go('/events?tab=failed');
    const held = page.getByRole('row', { name: /event_type_unregistered Boss_Defeated/ });
    // A short replay has often ended before the page looks at it, so here the page never sees one run.
    await page.route(/\/jobs\?/, async (route) => {
      let response = await route.fetch();
      while ((await response.text()).includes('"running"')) response = await route.fetch();
      await route.fulfill({ response });
    });
    await held.getByRole('button', { name: 'Replay all' }).click();
    await held.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });

    await viewer.go('/events?tab=types');
    await viewer.page.getByText('wait in the inbox', { exact: false }).waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Take all types' }).count()).toBe(0);
    await go('/events?tab=types');
    await page.getByRole('button', { name: 'Take all types' }).click();
    await expect.poll(() => policy.textContent()).toContain('are stored and counted');
    expect(await sendType('Never_Seen', 1)).toBe(202);
    expect([...owner.problems, ...viewer.problems]).toEqual([]);
  });

  it('gives a SKU a picture that everybody sees, without a request to another server', async () => {
    const { page, go } = owner;
    await go('/store?sku=gems_80');
    const panel = page.getByRole('dialog');
    const chosen = page.waitForEvent('filechooser');
    await panel.getByRole('button', { name: 'Choose a picture' }).click();
    await (await chosen).setFiles({ name: 'gems.png', mimeType: 'image/png', buffer: PNG });
    await panel.getByRole('img', { name: 'gems_80' }).waitFor();

    await viewer.go('/store');
    const seen = viewer.page.getByRole('row', { name: 'gems_80' }).getByRole('img', { name: 'gems_80' });
    await seen.waitFor();
    expect(await seen.getAttribute('src')).toMatch(/^data:image\/webp;base64,/);
    await expect
      .poll(() => seen.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);

    const text = page.waitForEvent('filechooser');
    await panel.getByRole('button', { name: 'Choose another picture' }).click();
    await (await text).setFiles({
      name: 'text.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no picture'),
    });
    await panel.getByText('The file is not a picture that this browser can read.').waitFor();
    await panel.getByRole('button', { name: 'Remove the picture' }).click();
    await panel.getByRole('button', { name: 'Choose a picture' }).waitFor();
    expect([...owner.problems, ...viewer.problems]).toEqual([]);
  });

  it('keeps the panel on its entry while the id is typed, also one that another entry has', async () => {
    const { page, go } = owner;
    const panel = page.getByRole('dialog');
    const id = panel.getByLabel('Id', { exact: true });
    // Key by key, each after the page has taken in the one before: the place to type in stays where it is.
    const typeId = async (text: string) => {
      await id.click();
      await page.keyboard.press('Control+A');
      for (let length = 1; length <= text.length; length++) {
        const typed = text.slice(0, length);
        await page.keyboard.press(typed.slice(-1));
        await expect.poll(() => new URL(page.url()).searchParams.get('value')).toBe(typed);
        expect(await id.evaluate((field) => field === document.activeElement)).toBe(true);
      }
      expect(await id.inputValue()).toBe(text);
    };
    await go('/values');
    await page.getByRole('button', { name: 'Add value' }).click();
    await typeId('speed');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Add value' }).click();
    await panel.getByLabel('Default').fill('77');
    await id.fill('speed');
    await panel.getByText('is taken', { exact: false }).waitFor();
    expect(await panel.getByLabel('Default').inputValue()).toBe('77');
    await typeId('speed_2');
    await page.keyboard.press('Escape');
    await publish();
    const { body } = await get(`${service.api}/v1/player/values`, player.headers);
    expect(body).toMatchObject({ values: { speed: 0, speed_2: 77 } });
    expect(owner.problems).toEqual([]);
  });

  it('says of a number that is not whole what is wrong, and leaves it as it was typed', async () => {
    const { page, go } = owner;
    await go('/store?tab=offers');
    await page.getByRole('button', { name: 'Add offer' }).click();
    const limit = page.getByRole('dialog').getByLabel('Purchases per player');
    for (const [typed, wrong] of [
      ['1.5', 'whole number'],
      ['-1', 'at least 1'],
    ] as const) {
      await limit.fill('');
      await limit.pressSequentially(typed);
      expect(await limit.inputValue()).toBe(typed);
      await page.getByRole('dialog').getByText(wrong, { exact: false }).waitFor();
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(owner.problems).toEqual([]);
  });

  it('adds a flag with a rule, which the player is told after publishing', async () => {
    const { page, go } = owner;
    await go('/settings?tab=flags');
    await page.getByRole('button', { name: 'Add flag' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByLabel('Id', { exact: true }).fill('hasPlayed');
    await panel.getByLabel('Rule (CEL)').fill('eventCount.totl > 0');
    await panel.getByText('Line 1, column 12', { exact: false }).waitFor();
    await panel.getByLabel('Rule (CEL)').fill('eventCount.total > 0');
    await panel.getByText('Line 1', { exact: false }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await publish();
    const told = await get(`${service.api}/v1/player/status`, player.headers);
    expect(JSON.stringify(told.body)).toContain('hasPlayed');
    expect(owner.problems).toEqual([]);
  });

  it('switches off what games are told of predictions', async () => {
    const { page, go } = owner;
    const predictions = async () =>
      JSON.stringify((await get(`${service.api}/v1/player/predictions`, player.headers)).body);
    expect(await predictions()).toContain('"churn"');
    await go('/settings?tab=predictions');
    await page.getByLabel('Games are told churn').uncheck();
    await publish();
    expect(await predictions()).not.toContain('"churn"');
    expect(await predictions()).toContain('"spend"');

    await viewer.go('/settings?tab=predictions');
    expect(await viewer.page.getByLabel('Games are told spend').isDisabled()).toBe(true);
  });

  it('shows the scores of all players, and what the draft uses of its limits', async () => {
    const { page, go } = owner;
    await go('/predictions');
    const scores = page.getByRole('region', { name: 'Distribution of scores' });
    await scores.getByText('No player is predicted one by one yet', { exact: false }).waitFor();
    await scores.getByRole('button', { name: 'Table' }).click();
    const cells = scores.getByRole('table', { name: 'Players by score' }).getByRole('row').getByRole('cell');
    await expect
      .poll(async () => {
        const texts = await cells.allTextContents();
        return texts.filter((_, index) => index % 2 === 1).reduce((sum, text) => sum + Number(text), 0);
      })
      .toBe(1);
    await go('/settings?tab=limits');
    await page.getByRole('row', { name: /^SKUs 5 of 1,000/ }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('merges the price that one editor changed with the name that another changed, and asks only where both did', async () => {
    for (const { go, page } of [owner, editor]) {
      await go('/store');
      await page.getByLabel('Name of gems_80').waitFor();
    }
    const price = ({ page }: Visitor) => page.getByLabel('Price of gems_80 in USD', { exact: true });
    const name = ({ page }: Visitor) => page.getByLabel('Name of gems_80');
    const saveOwners = async () => {
      await owner.page.getByRole('button', { name: 'Save draft' }).click();
      await owner.page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
      await editor.page.getByRole('button', { name: 'Show both' }).click();
    };
    const panel = editor.page.getByRole('dialog', { name: 'Olga saved the draft before you' });
    const onTop = panel.getByRole('button', { name: 'Put mine on top' });
    await name(editor).fill('Eve’s Gems');
    await price(owner).fill('1.29');
    await saveOwners();
    await panel.getByText('You changed different things').waitFor();
    const [mine, theirs] = await panel.getByRole('group', { name: 'Changes' }).allTextContents();
    expect(mine).toContain('Eve’s Gems');
    expect(mine).not.toContain('1.29');
    expect(theirs).toContain('prices › USD › actualPrice');
    expect(theirs).toContain('1.29');
    expect(theirs).not.toContain('Eve’s Gems');
    await onTop.click();
    await expect.poll(() => price(editor).inputValue()).toBe('1.29');
    expect(await name(editor).inputValue()).toBe('Eve’s Gems');

    await price(editor).fill('1.39');
    await name(owner).fill('Olga’s Gems');
    await saveOwners();
    const asked = panel.getByRole('radiogroup', { name: 'SKU gems_80 › name › default' });
    await asked.getByLabel('Theirs: Olga’s Gems').check();
    await onTop.click();
    await expect.poll(() => name(editor).inputValue()).toBe('Olga’s Gems');
    expect(await price(editor).inputValue()).toBe('1.39');
    await editor.page.getByRole('button', { name: 'Save draft' }).click();
    await editor.page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    expect([...owner.problems, ...editor.problems]).toEqual([]);
  });

  it('opens all pages without a connection, and keeps what was not saved until it is saved or its editor signs out', async () => {
    const { page, context, go, problems } = editor;
    // The browser asks before a page with unsaved changes is left.
    page.on('dialog', (dialog) => void dialog.accept());
    const name = page.getByLabel('Name of gems_80');
    const kept = () =>
      page.evaluate(
        () => Object.keys(localStorage).filter((key) => key.startsWith('savepoint-draft/')).length,
      );
    await go('/store');
    await name.waitFor();
    const loaded = () =>
      page.evaluate(
        () =>
          performance.getEntriesByType('resource').filter((entry) => /\/Predictions-.*\.js$/.test(entry.name))
            .length,
      );
    await expect.poll(loaded).toBe(1);
    await name.fill('Offline Gems');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Predictions' }).click();
    await page.getByRole('heading', { name: 'Predictions', level: 1 }).waitFor();
    await page.getByText('· not saved').waitFor();
    await context.setOffline(false);

    await page.reload();
    await page.getByText('Restored: what you typed').waitFor();
    await go('/store');
    await expect.poll(() => name.inputValue()).toBe('Offline Gems');
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByLabel('Name of gems_80').waitFor();
    expect(await second.getByLabel('Name of gems_80').inputValue()).not.toBe('Offline Gems');
    await second.close();
    await expect.poll(kept).toBe(1);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await expect.poll(kept).toBe(0);
    expect(await page.getByText('Restored: what you typed').count()).toBe(0);

    await name.fill('Gems of nobody');
    await expect.poll(kept).toBe(1);
    await page.getByRole('button', { name: 'Eve' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/\/sign-in/);
    expect(await kept()).toBe(0);
    expect(problems).toEqual([]);
  });
});
