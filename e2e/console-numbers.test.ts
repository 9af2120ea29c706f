import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../server/test/support/database.js';
import { HAS_BROWSER, launchBrowser, NEEDS_BROWSER } from './support/browser.js';
import { signIn, type Visitor } from './support/console.js';
import {
  cleanUp,
  login,
  post,
  runSavepoint,
  type Service,
  startService,
  temporaryFolder,
} from './support/service.js';

/** What people read on the pages, beside what SQL says of the same data: simulated players, and a few of today. */
describe.skipIf(!HAS_BROWSER)(`the numbers of the console${NEEDS_BROWSER}`, () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let service: Service;
  let settings: Record<string, string>;
  let browser: Browser;
  let owner: Visitor;

  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
    settings = {
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_DATA_DIR: await temporaryFolder(),
      DATABASE_URL: database.url,
    };
    const patient = { SAVEPOINT_MAX_WAIT_MS: '60000', SAVEPOINT_DB_TIMEOUT_MS: '60000' };
    service = await startService({ ...settings, ...patient });
    const simulated = await runSavepoint(
      ['simulate', '--url', service.api, '--players', '60', '--days', '10', '--seed', '7'],
      settings,
    );
    expect(simulated.code, simulated.output).toBe(0);
    await playToday();
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    browser = await launchBrowser();
    owner = await signIn(browser, service, settings, { email: 'olga@studio.example', role: 'owner' });
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await sql?.end();
    await cleanUp();
    await database?.drop();
  });

  /** Three players who have come just now: two see ads, one of them buys. */
  async function playToday(): Promise<void> {
    for (const n of [1, 2, 3]) {
      const { headers } = await login(service.api, `today-${n}`);
      const at = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
      const ads = Array.from({ length: n - 1 }, (_, k) => ({
        eventType: 'Ad_Impression',
        timestamp: at(k + 1),
        payload: { adUnitId: 'banner' },
      }));
      const purchase = {
        eventType: 'Purchase',
        timestamp: at(0),
        payload: { transactionId: `today-${n}`, skuId: 'gems_80', price: '2.50', currency: 'USD' },
      };
      const events = [
        { eventType: 'Level_Start', timestamp: at(9), payload: {} },
        ...ads,
        ...(n === 3 ? [purchase] : []),
      ];
      expect((await post(`${service.api}/v1/events`, headers, events)).status).toBe(202);
    }
    const { headers } = await login(service.api, 'today-1');
    const wrong = ['a', 'b'].map((name) => ({ eventType: 'Broken', timestamp: 'now', payload: { name } }));
    await post(`${service.api}/v1/events`, headers, wrong);
  }

  const count = async (text: string, ...values: unknown[]): Promise<string> => {
    const { rows } = await sql.query<{ n: string }>(text, values);
    return Number(rows[0]?.n).toLocaleString('en-US');
  };
  /** Midnight may pass between the two: both are read again until they agree. */
  const agree = (shown: () => Promise<string>, counted: () => Promise<string>) =>
    expect
      .poll(async () =>
        (await shown()) === (await counted()) ? 'equal' : `${await shown()} ≠ ${await counted()}`,
      )
      .toBe('equal');
  const TODAY = "(now() at time zone 'UTC')::date";
  /** As the service counts: by the time of receipt where the clock of the device cannot be right. */
  const IS_TODAY = `((case when clock_suspect or received_at < occurred_at then received_at else occurred_at end) at time zone 'UTC')::date = ${TODAY}`;
  const cellOf = (table: string, row: string | RegExp, place: number) => () =>
    owner.page
      .getByRole('table', { name: table })
      .getByRole('row', { name: row })
      .getByRole('cell')
      .nth(place)
      .innerText();

  it('on the overview: active players, new players, events and ad impressions of today', async () => {
    await owner.go('');
    const figure = (id: string) => () => owner.page.locator(`[data-figure="${id}"]`).innerText();
    await agree(figure('activePlayers'), () =>
      count(`select count(distinct player_id) as n from events where ${IS_TODAY}`),
    );
    await agree(figure('newPlayers'), () =>
      count(`select count(*) as n from players where (created_at at time zone 'UTC')::date = ${TODAY}`),
    );
    await agree(figure('events'), () => count(`select count(*) as n from events where ${IS_TODAY}`));
    await agree(figure('adImpressions'), () =>
      count(`select count(*) as n from events where event_type = 'Ad_Impression' and ${IS_TODAY}`),
    );
  });

  it('on the players and on one of them: purchases, money and events', async () => {
    const { rows } = await sql.query<{ userId: string; purchases: string; usd: string; events: string }>(
      `select p.user_id as "userId", count(distinct t.transaction_id) as purchases, to_char(sum(t.price), 'FM999,999,990.00') as usd,
         (select count(*) from events e where e.player_id = p.id) as events
       from players p join transactions t on t.player_id = p.id
       where t.currency = 'USD' and t.refunded_at is null
         and not exists (select from transactions o where o.player_id = p.id and (o.currency <> 'USD' or o.refunded_at is not null))
       group by p.id order by count(*) desc, p.id limit 3`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { userId, purchases, usd, events } of rows) {
      await owner.go(`/players?find=${userId}`);
      const row = owner.page.getByRole('row', { name: new RegExp(userId) });
      await row.waitFor();
      expect((await row.getByRole('cell').allInnerTexts()).slice(-2)).toEqual([purchases, `USD ${usd}`]);
      await owner.go(`/players/${userId}`);
      const noun = (n: string, word: string) =>
        `${Number(n).toLocaleString('en-US')} ${word}${n === '1' ? '' : 's'}`;
      await owner.page
        .getByText(`${noun(events, 'event')} · ${noun(purchases, 'purchase')}, USD ${usd}`, { exact: false })
        .waitFor();
    }
  });

  it('on the events: how many of a type there are, and how many were refused', async () => {
    await owner.go('/events?tab=types');
    for (const type of ['Level_Start', 'Ad_Impression', 'Purchase'])
      await agree(cellOf('Event types', new RegExp(`^${type}\\b`), 1), () =>
        count('select count(*) as n from events where event_type = $1', type),
      );
    await owner.go('/events?tab=failed');
    await agree(cellOf('Reasons', /Broken/, 2), () =>
      count("select count(*) as n from failed_events where event_type = 'Broken' and replayed_at is null"),
    );
  });

  it('on the segments: payers, those who have not paid, and all players', async () => {
    await owner.go('/segments');
    const players = () => count('select count(*) as n from players');
    await owner.page.getByText(`of ${await players()} players`, { exact: false }).waitFor();
    const PAYERS = `select count(distinct player_id) as n from transactions where refunded_at is null and purchased_at is not null`;
    const sizeOf = (id: string) => async () =>
      ((await owner.page.locator(`a[href$="segment=${id}"]`).innerText()).split(' ·')[0] ?? '').trim();
    await agree(sizeOf('payer'), () => count(PAYERS));
    await agree(sizeOf('non_payer'), () => count(`select (select count(*) from players) - (${PAYERS}) as n`));
  });

  it('on the settings: keys, members and entries of the audit log', async () => {
    await owner.go('/settings?tab=keys');
    const rowsOf = (table: string) => async () =>
      String((await owner.page.getByRole('table', { name: table }).getByRole('row').count()) - 1);
    await agree(rowsOf('API keys'), () =>
      count(
        "select count(*) as n from api_keys k join games g on g.id = k.game_id where g.slug = 'demo-game'",
      ),
    );
    await owner.go('/settings?tab=members');
    await agree(rowsOf('Members'), () => count('select count(*) as n from studio_members'));
    await owner.go('/settings?tab=audit&all=yes');
    await agree(rowsOf('Audit log'), () =>
      count('select least(50, count(*)) as n from audit_log where tenant_id is not null'),
    );
  });

  it('on the live tail: an event is there as soon as it has arrived', async () => {
    await owner.go('/events');
    await owner.page.getByRole('tab', { name: 'Live' }).waitFor();
    await owner.page.getByText('live', { exact: true }).waitFor();
    const { headers } = await login(service.api, 'live-device');
    const event = { eventType: 'Seen_Live', timestamp: new Date().toISOString(), payload: { n: 1 } };
    expect((await post(`${service.api}/v1/events`, headers, [event])).status).toBe(202);
    await owner.page.getByText('Seen_Live').first().waitFor();
    // How soon that is, `node bench/console.mjs` measures.
    expect(owner.problems).toEqual([]);
  });
});
