/** @module-tag full */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { askAsPage, closeConsole, openConsole, type Visitor, visit } from './support/console.js';
import { type Login, login, post, type Service } from './support/service.js';

describe.skipIf(!HAS_BROWSER)(`work and sessions in the console${NEEDS_BROWSER}`, () => {
  let service: Service;
  let browser: Browser;
  let owner: Visitor;
  let player: Login;
  let sql: pg.Client;

  beforeAll(async () => {
    const { settings, ...opened } = await openConsole();
    ({ service, browser, owner } = opened);
    sql = new pg.Client({ connectionString: settings.DATABASE_URL });
    await sql.connect();
    player = await login(service.api, 'exporting-device');
  }, 600_000);
  afterAll(async () => {
    await sql?.end();
    await closeConsole();
  });

  const send = (events: object[]) => post(`${service.api}/v1/events`, player.headers, events);
  const event = (level: number) => ({
    eventType: 'Level_Complete',
    timestamp: new Date(Date.now() - level).toISOString(),
    payload: { level },
  });

  it('exports events in the background: the page is left, and the file is there when it is opened again', async () => {
    expect((await send([event(1), event(2), event(3)])).status).toBe(202);
    const { page, go } = owner;
    await go('/events?tab=exports');
    const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('From (UTC)').fill(dayAt(-1));
    await page.getByLabel('Up to, not included').fill(dayAt(2));
    await page.getByRole('button', { name: 'Start the export' }).click();
    await page.getByRole('cell', { name: 'Olga' }).waitFor();
    await go('/events?tab=types');
    await page.getByRole('tab', { name: 'Exports' }).click();
    await page.getByText(/3 events, \d+ B/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^demo-game-events-.*\.ndjson\.gz$/);
    const lines = gunzipSync(await readFile(await download.path()))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).payload.level);
    expect(lines.toSorted()).toEqual([1, 2, 3]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('cell', { name: 'cancelled' }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('deletes refused events after asking, all of a reason or one', async () => {
    const refused = (eventType: string, n: number) => ({ ...event(n), eventType, timestamp: 'now' });
    await send([refused('Shot', 1), refused('Shot', 2), refused('Jump', 3)]);
    const { page, go } = owner;
    await go('/events?tab=failed');
    const shots = page.getByRole('row', { name: /Shot/ });
    await shots.getByRole('button', { name: 'Delete all' }).click();
    await shots.getByRole('button', { name: 'Keep' }).click();
    await shots.getByRole('button', { name: 'Delete all' }).click();
    await shots.getByRole('button', { name: 'Yes, delete 2 events' }).click();
    await shots.waitFor({ state: 'detached' });

    await page
      .getByRole('row', { name: /Jump/ })
      .getByRole('button', { name: 'timestamp_malformed' })
      .click();
    await page.getByRole('button', { name: 'Correct' }).click();
    const panel = page.getByRole('dialog', { name: 'Jump: timestamp_malformed' });
    await panel.getByRole('button', { name: 'Delete' }).click();
    await panel.getByRole('button', { name: 'Yes, delete this event' }).click();
    await page.getByText('No event is waiting').waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('sets flags of players from a file, after telling what is wrong in it', async () => {
    const { page, go } = owner;
    await go('/players');
    await page.getByRole('button', { name: 'Set flags from a file' }).click();
    const panel = page.getByRole('dialog', { name: 'Set flags from a file' });
    const give = (value: string) =>
      panel.locator('input[type=file]').setInputFiles({
        name: 'flags.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          `playerId,flagId,value,reason\n${player.userId},isPayer,${value},Bank transfer\n`,
        ),
      });
    await give('maybe');
    await panel.getByRole('button', { name: 'Set the flags' }).click();
    await panel.getByRole('row', { name: /row 2 value Write true or false/ }).waitFor();
    await give('true');
    await panel.getByRole('button', { name: 'Set the flags' }).click();
    await panel.getByText('1 set, 0 cleared, 0 as before.').waitFor();
    await go(`/players/${player.userId}`);
    await page.getByText('Olga: “Bank transfer”').waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('exports everything about a player from the page of the player', async () => {
    await post(`${service.api}/v1/events`, player.headers, [{ ...event(9), eventType: 'Exported' }]);
    const { page, go } = owner;
    await go(`/players/${player.userId}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all data' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`player-${player.userId}.json`);
    const exported = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(exported.player.playerId).toBe(player.userId);
    expect(exported.events).toContainEqual(expect.objectContaining({ eventType: 'Exported' }));
    expect(owner.problems).toEqual([]);
  });

  it('erases a player after a look at what goes, and lets players without the game ask on a page', async () => {
    const { page, go } = owner;
    const [erased, removed] = [
      await login(service.api, 'erased-device'),
      await login(service.api, 'removed-device'),
    ];
    expect((await post(`${service.api}/v1/events`, erased.headers, [event(1), event(2)])).status).toBe(202);
    await go('/players?find=erased-device');
    await page.getByRole('link', { name: erased.userId }).click();
    await page.getByRole('button', { name: 'Erase…' }).click();
    const panel = page.getByRole('dialog', { name: 'Erase the player' });
    await panel.getByText('2 events').waitFor();
    const confirm = panel.getByRole('button', { name: 'Erase this player' });
    await panel.getByLabel('Id of the player').fill(removed.userId);
    expect(await confirm.isDisabled()).toBe(true);
    await panel.getByLabel('Id of the player').fill(erased.userId);
    await confirm.click();
    await panel.getByText('The erasure is requested').waitFor();
    await go('/settings?tab=erasures');
    const done = page.getByRole('row', { name: /Olga/ }).filter({ hasText: 'done' });
    await done.getByText('2 events').waitFor();
    await done.getByRole('button', { name: 'Copy the receipt' }).waitFor();

    await go('/settings?tab=game');
    await page.getByRole('switch', { name: 'A public page on which players ask for erasure' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const path = await page.getByText('/erase/demo-studio/demo-game').textContent();
    const { body } = await post(`${service.api}/v1/player/erasure_code`, removed.headers, undefined);
    const { code } = (body as { data: { code: string } }).data;
    const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await phone.goto(`${service.api}${path}`);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const enter = async (typed: string) => {
      await phone.getByLabel('The code that the game shows').fill(typed);
      await phone.getByRole('button', { name: 'Continue' }).click();
    };
    await enter('BCDF-GHJK-LMNP');
    await phone.getByRole('alert').filter({ hasText: 'This code is not valid' }).waitFor();
    await enter(code.toLowerCase());
    await phone.getByRole('button', { name: 'Delete my data' }).click();
    await phone.getByText('Your request was received.').waitFor();
    await phone.close();
    await go('/settings?tab=erasures');
    await page.getByRole('row', { name: /hosted page/ }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('shows a training that another member has started, on the page and in the list of all work, and cancels it', async () => {
    const { page, go } = owner;
    // As a node of its own would write it.
    await sql.query(
      `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, progress_done, progress_total,
         heartbeat_at, expires_at)
       select gen_random_uuid(), id, 'training', '{}', 'running', 'Ana', now(), 3, 9, now() + interval '1 day',
         now() + interval '1 day' from games where slug = 'demo-game'`,
    );
    await go('/predictions');
    const training = page.getByRole('status', { name: 'Training now' });
    await training.getByText(/since .*, started by Ana\. 3 of 9 steps/).waitFor();
    expect(await page.getByRole('button', { name: 'Train now' }).count()).toBe(0);
    await page.getByRole('link', { name: '1 job running' }).click();
    const row = page.getByRole('row', { name: /^Training of the models Ana/ });
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.getByText('Cancelled').waitFor();
    await row.getByRole('link', { name: 'Training of the models' }).click();
    await page.getByRole('button', { name: 'Train now' }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('shows the older trainings when asked to', async () => {
    const { page, go } = owner;
    await go('/predictions');
    await askAsPage(page, 'POST', '/games/demo-game/models');
    await sql.query(
      `insert into prediction_models
       select (jsonb_populate_record(m, jsonb_build_object('version', v))).*
       from prediction_models m, generate_series(2, 35) v`,
    );
    await page.reload();
    const trainings = page.getByRole('table', { name: 'Trainings' });
    const versions = async () =>
      (await trainings.locator('tbody tr td:first-child').allTextContents()).map(Number);
    const from35To = (last: number) => Array.from({ length: 36 - last }, (_, n) => 35 - n);
    await expect.poll(versions).toEqual(from35To(6));
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(versions).toEqual(from35To(1));
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(owner.problems).toEqual([]);
  });

  it('shows the older grades, and the smaller groups of refused events, when asked to', async () => {
    const { page, go } = owner;
    const deciles = [{ players: 10, predicted: 0.4, observed: 0.5 }];
    await sql.query(
      `insert into prediction_grades (game_id, day, model, model_version, was_told, metrics, health, graded_at)
       select id, current_date - n, 'activity', 1, true, $1, 'green', now()
       from games, generate_series(1, 150) n where slug = 'demo-game'`,
      [{ players: 10, ece: 0.1, deciles }],
    );
    await go('/predictions');
    const weeks = page.getByLabel('Graded week').getByRole('option');
    await expect.poll(() => weeks.count()).toBe(100);
    await page.getByRole('button', { name: 'Show older weeks' }).click();
    await expect.poll(() => weeks.count()).toBe(150);

    await sql.query(
      `insert into failed_events (game_id, player_id, code, message, path, event_type, raw, fingerprint, received_at)
       select p.game_id, p.id, 'event_invalid', 'It is wrong.', '', 'Type ' || n, '{}', gen_random_uuid(), now()
       from players p, generate_series(1, 101) n, generate_series(1, case n when 101 then 1 else 2 end) k
       where p.user_id = $1`,
      [player.userId],
    );
    await go('/events?tab=failed');
    const rows = page.getByRole('table', { name: 'Reasons' }).locator('tbody tr');
    const smallest = rows.filter({ hasText: 'Type 101' });
    await expect.poll(() => rows.filter({ hasText: 'Type ' }).count()).toBe(100);
    expect(await smallest.count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await smallest.waitFor();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(owner.problems).toEqual([]);
  });

  it('says that the list of losses is cut', async () => {
    const { page, go } = owner;
    const lose = (from: number, to: number) =>
      sql.query(
        `insert into event_gaps (player_id, install_id, first_seq, last_seq, game_id, noticed_at, client_build)
         select p.id, 'install', n, n, p.game_id, now() - interval '3 days', 'build ' || n
         from players p, generate_series($2::int, $3::int) n where p.user_id = $1`,
        [player.userId, from, to],
      );
    const note = page.getByText('Only the newest 1,000 rows are shown');
    await lose(1, 1_000);
    await go('/events?tab=losses');
    await page.getByRole('cell', { name: 'build 1000', exact: true }).waitFor();
    expect(await note.count()).toBe(0);
    await lose(1_001, 1_001);
    await page.reload();
    await note.waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('says what is missing now, apart from what is given up', async () => {
    const { page, go } = owner;
    await sql.query('delete from event_gaps');
    await go('/events?tab=losses');
    await page.getByRole('heading', { name: 'Nothing is missing' }).waitFor();
    await page.getByRole('heading', { name: 'Nothing was lost' }).waitFor();
    await sql.query(
      `insert into event_gaps (player_id, install_id, first_seq, last_seq, game_id, noticed_at, client_build)
       select p.id, 'install', 1, 4003, p.game_id, now() - interval '2 hours', '1.2.3'
       from players p where p.user_id = $1`,
      [player.userId],
    );
    await page.reload();
    const row = page.getByRole('table', { name: 'Missing now' }).getByRole('row').nth(1);
    await expect.poll(() => row.innerText()).toMatch(/2 hours ago\s+1\.2\.3\s+–\s+4,003\s+1/);
    await page.getByRole('heading', { name: 'Nothing has been given up so far' }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('solves "I paid and got nothing" from a part of the id of the player', async () => {
    const { page, go } = owner;
    const payer = await login(service.api, 'payer-device');
    const purchase = (price: string | number) => ({
      eventType: 'Purchase',
      timestamp: new Date(Date.now() - 3 * 86_400_000).toISOString(),
      payload: { transactionId: 'GPA.77', skuId: 'gems_80', price, currency: 'USD' },
      metadata: { country: 'PT' },
    });
    const sent = [{ ...event(1), metadata: { country: 'PT' } }, purchase('free')];
    expect((await post(`${service.api}/v1/events`, payer.headers, sent)).status).toBe(202);

    // The player reads the end of the id aloud, as the game and the console show it.
    await go();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(`…${payer.userId.slice(-8)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Paid' }).getByText('nothing so far').waitFor();
    expect(page.url()).toContain(payer.userId);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const refused = timeline.getByText('Refused: Purchase, transaction GPA.77');
    await refused.waitFor();
    // On a phone, too, what happened is on the first screen.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await refused.boundingBox())?.y ?? 9_999).toBeLessThan(844);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });

    // The event is corrected in the inbox, and counts from then on.
    await timeline.getByRole('link', { name: 'Open in the inbox' }).click();
    const panel = page.getByRole('dialog', { name: 'Purchase: payload_invalid' });
    await panel.getByLabel('The event').fill(JSON.stringify(purchase('4.99')));
    await panel.getByRole('button', { name: 'Replay this event' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('GPA.77');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Paid' }).getByText('USD 4.99').waitFor();
    // By its own time, with the time at which it came.
    const bought = timeline.locator('.timeline-item', { hasText: 'Purchase gems_80 USD 4.99' });
    await expect.poll(() => bought.innerText()).toMatch(/^3 days ago[\s\S]*, received (?:now|\d+ \S+ ago)/);
    await timeline.getByText('Replayed', { exact: false }).waitFor();

    // A note for colleagues.
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByLabel('New note').fill('Price was a text in build 1.2.');
    await notes.getByRole('button', { name: 'Add the note' }).click();
    const note = notes.getByRole('article', { name: 'Note of Olga' });
    await note.getByRole('button', { name: 'Edit' }).click();
    await note.getByLabel('Edit the note').fill('Price was a text in build 1.3.');
    await note.getByRole('button', { name: 'Save the note' }).click();
    await note.getByText('Price was a text in build 1.3.').waitFor();
    await note.getByText(', edited', { exact: false }).waitFor();

    // Found again among those who paid, by country.
    await go('/players?sort=spend');
    const row = page.getByRole('row', { name: payer.userId });
    await row.getByText('USD 4.99').waitFor();
    await page.getByLabel('At least').fill('5');
    await page.getByRole('heading', { name: 'No player is like this' }).waitFor();
    await go('/players?sort=lastSeen&country=PT');
    await row.waitFor();
    await row.getByRole('link').click();
    await note.getByRole('button', { name: 'Delete' }).click();
    await note.getByRole('button', { name: 'Yes, delete the note' }).click();
    await notes.getByText('No note on this player', { exact: false }).waitFor();
    expect(owner.problems).toEqual([]);
  });

  it('shows where somebody is signed in, and ends a session that is not known', async () => {
    const { page, go } = owner;
    await go('/settings?tab=account');
    await page.getByLabel('New password').fill('nine purple otters sing');
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.getByText('0 other sessions ended', { exact: false }).waitFor();

    const other = await visit(browser, service);
    await other.page.goto(`${service.ops}/console/sign-in`);
    await other.page.getByLabel('Email').fill('olga@studio.example');
    await other.page.getByRole('textbox', { name: 'Password' }).fill('nine purple otters sing');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();

    await go('/settings?tab=account');
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await sessions.getByText('this one').waitFor();
    await sessions.getByRole('button', { name: /End the session of Chrome/ }).click();
    await sessions.getByRole('button', { name: /End the session/ }).waitFor({ state: 'detached' });
    await other.page.goto(`${service.ops}/console/demo-studio/demo-game/store`);
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(owner.problems).toEqual([]);
  });
});
