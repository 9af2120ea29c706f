/** @module-tag full */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usagesOf } from '../console/src/lib/attribute-usages.js';
import { formatUtc, toLocalInput } from '../console/src/lib/format.js';
import { canBeInvented, inventedFacts } from '../console/src/lib/invented-player.js';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { askAsPage, closeConsole, openConsole, type Visitor } from './support/console.js';
import { get, type Login, login, post, type Service } from './support/service.js';

const DAY_MS = 86_400_000;

/** Saturday, 00:00 UTC; a week ahead on a Saturday. */
function nextSaturday(): Date {
  const today = Math.floor(Date.now() / DAY_MS);
  const isSaturday = (day: number) => new Date(day * DAY_MS).getUTCDay() === 6;
  const days = [1, 2, 3, 4, 5, 6, 7].map((ahead) => today + ahead);
  return new Date((days.find(isSaturday) ?? today) * DAY_MS);
}

type Store = { activeSkus: { skuId: string; offerPrice: unknown }[] };

describe.skipIf(!HAS_BROWSER)(`offers in the console${NEEDS_BROWSER}`, () => {
  let service: Service;
  let owner: Visitor;
  /** The n-th has bought n times; the last one in Germany, three weeks ago. */
  const players: Login[] = [];

  beforeAll(async () => {
    ({ service, owner } = await openConsole());
    for (const purchases of [0, 1, 2]) {
      const player = await login(service.api, `device-${purchases}`);
      players.push(player);
      const events = Array.from({ length: purchases }, (_, n) => ({
        eventType: 'Purchase',
        timestamp: new Date(Date.now() - (purchases === 2 ? 21 * DAY_MS : 0)).toISOString(),
        payload: { transactionId: `t-${purchases}-${n}`, skuId: 'gems_80', price: 0.99, currency: 'USD' },
        ...(purchases === 2 && { metadata: { country: 'DE' } }),
      }));
      if (purchases > 0) {
        expect((await post(`${service.api}/v1/events`, player.headers, events)).status).toBe(202);
      }
    }
  }, 400_000);
  afterAll(closeConsole);

  /** What the player API serves, by SKU. */
  const served = async (purchases: number) => {
    const { body } = await get(`${service.api}/v1/player/store_configs`, players[purchases]?.headers ?? {});
    const store = (body as { data?: Store }).data ?? (body as Store);
    return Object.fromEntries(store.activeSkus.map(({ skuId, offerPrice }) => [skuId, Number(offerPrice)]));
  };
  /** What the preview shows, by SKU. */
  const shown = async (page: Page) => {
    const cards = page.getByRole('region', { name: 'Preview' }).getByRole('group');
    const entries = await cards.evaluateAll((elements) =>
      elements.flatMap((card) => {
        const price = card.querySelector('b')?.textContent;
        return price == null
          ? []
          : [[card.getAttribute('aria-label') ?? '', Number(price.replace('USD ', ''))]];
      }),
    );
    return Object.fromEntries(entries) as Record<string, number>;
  };
  const audience = () => owner.page.getByRole('status', { name: 'Audience' });
  const rule = () => owner.page.getByLabel('Rule (CEL)');

  it('counts the audience while a rule is typed, and gives up a count that is overtaken', async () => {
    const { page, go } = owner;
    await go('/store?tab=offers&offer=thank_you');
    await expect.poll(() => audience().textContent()).toBe('2 of 3 players, 100% of revenue');

    // The next count is held back until another has overtaken it.
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let count = 0;
    await page.route('**/audience', async (route) => {
      count += 1;
      if (count === 1) await held;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest('**/audience');
    await rule().fill('purchases.total == 0');
    const first = await asked;
    await expect.poll(() => audience().textContent()).toContain('before this change; counting…');
    const givenUp = page.waitForEvent('requestfailed', (request) => request === first);
    await rule().fill('purchases.total > 1');
    await givenUp;
    letGo();
    await expect.poll(() => audience().textContent()).toContain('1 of 3 players, 67% of revenue');
    await page.unroute('**/audience');

    // A mistake is shown where it is, and the count says what it waits for.
    await rule().fill('purchases.totl > 1');
    await page.getByText('Line 1, column 11', { exact: false }).first().waitFor();
    await expect.poll(() => audience().textContent()).toContain('once the mistake here is mended');
    await rule().fill('');
    await expect.poll(() => audience().textContent()).toContain('3 of 3 players');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(owner.problems).toEqual([]);
  });

  it('shows who is nearly in a segment, and what they lack', async () => {
    const { page, go } = owner;
    await go('/segments?segment=payer');
    await rule().fill('purchases.total >= 2');
    await expect.poll(() => audience().textContent()).toContain('1 of 3 players');
    await page.getByText('2 players just outside').click();
    await page.getByText('Would enter with purchases.total of at least 2: 1 more than now.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
  });

  it('builds payers who have not bought for 14 days in DE or FR without CEL, and hints at what no player has', async () => {
    const { page, go } = owner;
    await go('/segments?segment=payer');
    await rule().fill('flags.isPayer');
    const attribute = (nth: number) => page.getByRole('textbox', { name: 'Attribute' }).nth(nth);
    await page.getByRole('button', { name: 'attribute', exact: true }).click();
    await attribute(0).fill('daysSinceLastPurchase');
    await page.getByLabel('Operator').selectOption('at least');
    const value = page.getByRole('textbox', { name: 'Value', exact: true });
    await value.fill('14 days');
    await page.getByText('Write a number, without a unit.').waitFor();
    expect(await rule().inputValue()).not.toContain('days"');
    await value.fill('14');
    const first = 'flags.isPayer && daysSinceLastPurchase >= 14';
    await expect.poll(() => rule().inputValue()).toBe(first);

    await page.getByRole('button', { name: 'attribute', exact: true }).click();
    await attribute(1).fill('country');
    await page.getByLabel('Operator').nth(1).selectOption('is one of');
    const values = page.getByRole('textbox', { name: 'Values' });
    for (const country of ['DE', 'FR']) {
      await values.fill(country);
      await values.press('Enter');
    }
    await expect.poll(() => rule().inputValue()).toBe(`${first} && country in ["DE", "FR"]`);
    await page.getByRole('button', { name: 'or: add an alternative' }).first().click();
    await page.getByLabel('State of the flag').nth(1).selectOption('flag is not set');
    await expect
      .poll(() => rule().inputValue())
      .toBe('(flags.isPayer || !flags.isPayer) && daysSinceLastPurchase >= 14 && country in ["DE", "FR"]');
    await expect.poll(() => audience().textContent()).toContain('1 of 3 players');

    await rule().fill('events["Purchas"].total > 0');
    await page.getByText('No event of type “Purchas” came lately.', { exact: false }).waitFor();
    await rule().fill('events["Purchase"].total > 0');
    await page.getByText('came lately', { exact: false }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(owner.problems).toEqual([]);
  });

  it('completes an attribute of a rule by its description', async () => {
    const { page, go } = owner;
    await go('/segments?segment=payer');
    await rule().fill('purchases.total >= 2');
    await page.getByRole('textbox', { name: 'Attribute' }).fill('money spent');
    // What is searched for is not put into the rule.
    expect(await rule().inputValue()).toBe('purchases.total >= 2');
    await page.getByRole('option', { name: /^spend\["USD"\]\.last28d Money spent/ }).click();
    await expect.poll(() => rule().inputValue()).toBe('spend["USD"].last28d >= 2');

    // The text is completed, too, by keyboard: Escape closes the list first, and then the panel.
    await rule().fill('');
    await rule().pressSequentially('2 <= purchases.la');
    const names = page.getByRole('listbox', { name: 'Names for the rule' });
    await names.getByRole('option', { name: /^purchases\.last28d / }).waitFor();
    await page.keyboard.press('Escape');
    await names.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+Space');
    const option = names.getByRole('option', { name: /^purchases\.last28d / });
    await option.waitFor();
    const isChosen = async () => {
      await page.keyboard.press('ArrowDown');
      return option.getAttribute('aria-selected');
    };
    await expect.poll(isChosen).toBe('true');
    expect(await rule().getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.keyboard.type(' + 1');
    await expect.poll(() => rule().inputValue()).toBe('2 <= purchases.last28d + 1');
    await names.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(owner.problems).toEqual([]);
  });

  it('previews an offer with a segment as the player gets it after publishing', async () => {
    const { page, go } = owner;
    await go('/store?tab=offers');
    await page.getByRole('button', { name: 'Add offer' }).click();
    await rule().fill('"payer" in segments && purchases.total >= 2');
    await page.getByLabel('Percent off the offer price').fill('40');
    const previews: Record<string, number>[] = [];
    for (const purchases of [1, 2]) {
      const find = page.getByLabel('Preview for a player');
      await find.fill(`device-${purchases}`);
      await page.getByRole('button', { name: 'Preview' }).click();
      const preview = page.getByRole('region', { name: 'Preview' });
      const outcome = purchases === 1 ? 'gems_80 costs 0.99 USD' : 'gems_80 costs 0.59 USD';
      await preview.getByText(outcome, { exact: false }).waitFor();
      previews.push(await shown(page));
    }
    // Beside the form: what is typed and what follows from it are seen together.
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, width: 0 };
    const form = await boxOf(rule());
    const preview = await boxOf(page.getByRole('region', { name: 'Preview' }));
    expect(preview.x).toBeGreaterThan(form.x + form.width);
    // Nothing was saved so far: players see what is published.
    expect((await served(2)).gems_80).toBe(0.99);

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish' }).click();
    const panel = page.getByRole('dialog', { name: 'Publish the draft' });
    await panel.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
    expect(await served(1)).toEqual(previews[0]);
    expect(await served(2)).toEqual(previews[1]);
    expect((await served(2)).gems_80).toBe(0.59);
  });

  it('shows an invented player what the store API serves to a player with these facts', async () => {
    const { page, go } = owner;
    await go('/store?tab=preview');
    await page.getByText('An invented player').click();
    await page.getByLabel('Under', { exact: true }).selectOption('published');
    const number = page.getByLabel('purchases.total', { exact: true });
    for (const purchases of [0, 1, 2]) {
      await number.fill(purchases === 0 ? '' : String(purchases));
      const expected = await served(purchases);
      await expect.poll(() => shown(page)).toEqual(expected);
    }
    // The address holds the player: somebody else sees the same.
    await page.reload();
    await expect.poll(() => number.inputValue()).toBe('2');
    await number.fill('two');
    await page.getByText('A whole number').waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('can invent every attribute that rules can ask for, but segments, predictions and experiments', async () => {
    const { page, go } = owner;
    await go('/store?tab=preview');
    type Attributes = { attributes: Parameters<typeof usagesOf>[0] };
    const { attributes } = await askAsPage<Attributes>(page, 'GET', '/attributes');
    const usages = [...usagesOf(attributes)].filter(([usage]) => canBeInvented(usage));
    expect(usages.length).toBeGreaterThan(25);
    const textOf = (type: string) => (type === 'string' ? 'XY' : type.includes('bool') ? 'true' : '2');
    const literalOf = (type: string) =>
      type === 'string' ? '"XY"' : type.includes('bool') ? 'true' : type === 'double' ? '2.0' : '2';
    const values = Object.fromEntries(usages.map(([usage, type]) => [usage, textOf(type)]));
    const { document } = await askAsPage<{ document: object }>(page, 'GET', '/games/demo-game/draft');
    const segments = usages.map(([usage, type], index) => ({
      segmentId: `probe_${index}`,
      name: usage,
      rule: `${usage} == ${literalOf(type)}`,
      visibleToClients: false,
      priority: 0,
    }));
    const body = {
      hypothetical: inventedFacts(values, Date.now()),
      document: { ...document, segments, offers: [] },
    };
    type Told = { trace: { segments: { member: boolean; rule: { expression: string } }[] } };
    const { trace } = await askAsPage<Told>(page, 'POST', '/games/demo-game/explain', body);
    expect(trace.segments).toHaveLength(usages.length);
    const missed = trace.segments
      .filter(({ member }) => !member)
      .map(({ rule: { expression } }) => expression);
    expect(missed).toEqual([]);
  });

  it('plans a weekend: a segment and an offer without CEL, what a player sees on Saturday, publish, roll back', async () => {
    const { page, go } = owner;
    const saturday = nextSaturday();
    const on = formatUtc(saturday.toISOString());
    const save = async () => {
      // The first Escape may only close a list of the form.
      await expect
        .poll(async () => {
          await page.keyboard.press('Escape');
          return page.getByRole('dialog').isHidden();
        })
        .toBe(true);
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    };
    const before = await served(2);

    await go('/segments');
    await page.getByRole('button', { name: 'Add segment' }).click();
    await page.getByLabel('Id', { exact: true }).fill('lapsed_de_fr');
    const add = page.getByRole('button', { name: 'attribute', exact: true });
    const attribute = page.getByRole('textbox', { name: 'Attribute' });
    await add.click();
    await attribute.fill('daysSinceLastPurchase');
    await page.getByLabel('Operator').selectOption('at least');
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('14');
    await add.click();
    await attribute.nth(1).fill('country');
    await page.getByLabel('Operator').nth(1).selectOption('is one of');
    for (const country of ['DE', 'FR']) {
      await page.getByRole('textbox', { name: 'Values' }).fill(country);
      await page.getByRole('textbox', { name: 'Values' }).press('Enter');
    }
    await expect.poll(() => audience().textContent()).toContain('1 of 3 players');
    await save();

    await go('/store?tab=offers');
    await page.getByRole('button', { name: 'Add offer' }).click();
    await page.getByLabel('Id', { exact: true }).fill('weekend');
    await page.getByRole('button', { name: 'Remove the condition' }).click();
    await page.getByRole('button', { name: 'segment', exact: true }).click();
    await page.getByLabel('Segment', { exact: true }).selectOption('lapsed_de_fr');
    await page.getByLabel('For', { exact: true }).selectOption('all');
    await page.getByLabel('Percent off the offer price').fill('30');
    await page.getByLabel('From').fill(toLocalInput(saturday.toISOString()));
    await page
      .getByLabel('Until')
      .fill(toLocalInput(new Date(saturday.getTime() + 2 * DAY_MS).toISOString()));
    // Not "0 of 3": it is counted as of its beginning.
    await expect.poll(() => audience().textContent()).toContain(`1 of 3 players from ${on}`);

    // The preview shows the beginning of the offer by itself, and now on demand.
    await page.getByLabel('Preview for a player').fill('device-2');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect.poll(async () => (await shown(page)).season_pass).toBe(10.49);
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await expect.poll(() => shown(page)).toEqual(before);
    await page.getByRole('button', { name: on }).click();
    await expect.poll(async () => (await shown(page)).season_pass).toBe(10.49);
    await save();

    await page.getByRole('button', { name: 'Publish' }).click();
    const panel = page.getByRole('dialog', { name: 'Publish the draft' });
    const then = panel.getByRole('region', { name: `From ${on}` });
    await then.getByText('1 player pays less.', { exact: false }).waitFor();
    await panel.getByText('No player sees another price.', { exact: true }).waitFor();
    await then.getByText('Prices, and who enters and leaves').click();
    const price = then.getByRole('table', { name: 'Prices' }).getByRole('row', { name: /^season_pass/ });
    expect(await price.textContent()).toBe('season_passUSD 14.99USD 10.491');
    await panel.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' });
    expect(await served(2)).toEqual(before);

    await go(`/players/${players[2]?.userId}`);
    const store = page.getByRole('region', { name: 'Store as seen' });
    await store.getByRole('heading', { name: 'Store as seen' }).click();
    await store.getByText('season_pass costs 14.99 USD', { exact: false }).waitFor();
    await store.getByLabel('At', { exact: true }).fill(toLocalInput(saturday.toISOString()));
    await store.getByText('season_pass costs 10.49 USD', { exact: false }).waitFor();
    await store.getByText('As if the player did nothing until then.', { exact: false }).waitFor();

    await go('/store?tab=history');
    await page
      .getByRole('table', { name: 'Versions' })
      .getByRole('button', { name: /^v\d+$/ })
      .nth(1)
      .click();
    await page.getByRole('button', { name: /^Publish version \d+ again$/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await go(`/players/${players[2]?.userId}?at=${saturday.toISOString()}`);
    await store.getByText('season_pass costs 14.99 USD', { exact: false }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('moves SKUs and offers to another place by dragging their handles', async () => {
    const { page, go } = owner;
    const rowsOf = (table: string) =>
      page.getByRole('table', { name: table }).locator('tbody').getByRole('row');
    const orderOf = (table: string) =>
      rowsOf(table).evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
    const drag = async (table: string, from: number, to: number) => {
      const handle = rowsOf(table).nth(from).getByRole('button', { name: 'Move ', exact: false });
      await handle.dragTo(rowsOf(table).nth(to));
    };
    await go('/store');
    await rowsOf('Catalogue').first().waitFor();
    const [first = '', second = '', third = '', ...others] = await orderOf('Catalogue');
    await drag('Catalogue', 0, 2);
    await expect.poll(() => orderOf('Catalogue')).toEqual([second, third, first, ...others]);

    await page.getByRole('tab', { name: 'Offers' }).click();
    await page.getByRole('button', { name: 'Add offer' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const offers = await orderOf('Offers');
    expect(offers.length).toBeGreaterThan(1);
    const last = offers.at(-1) ?? '';
    await drag('Offers', offers.length - 1, 0);
    await expect.poll(() => orderOf('Offers')).toEqual([last, ...offers.slice(0, -1)]);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' });
    type Saved = { document: { catalogue: { skuId: string }[]; offers: { offerId: string }[] } };
    const { document } = await askAsPage<Saved>(page, 'GET', '/games/demo-game/draft');
    expect(document.catalogue.map(({ skuId }) => skuId)).toEqual([second, third, first, ...others]);
    expect(document.offers[0]?.offerId).toBe(last);
    expect(owner.problems).toEqual([]);
  });
});
