/** @module-tag full */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { closeConsole, openConsole, type Visitor } from './support/console.js';
import { login, post, runSavepoint, type Service } from './support/service.js';

/** What people read on the pages, beside what SQL says of the same data: simulated players, and a few of today. */
describe.skipIf(!HAS_BROWSER)(`the numbers of the console${NEEDS_BROWSER}`, () => {
  let sql: pg.Client;
  let service: Service;
  let owner: Visitor;

  beforeAll(async () => {
    const { settings, ...opened } = await openConsole();
    ({ service, owner } = opened);
    const simulated = await runSavepoint(
      ['simulate', '--url', service.api, '--players', '60', '--days', '10', '--seed', '7'],
      settings,
    );
    expect(simulated.code, simulated.output).toBe(0);
    await playToday();
    sql = new pg.Client({ connectionString: settings.DATABASE_URL });
    await sql.connect();
  }, 600_000);
  afterAll(async () => {
    await sql?.end();
    await closeConsole();
  });

  /** Three players who have come just now: two of them see ads and buy. */
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
        payload: { transactionId: `today-${n}`, skuId: 'gems_80', price: `${n}.25`, currency: 'USD' },
      };
      const events = [
        { eventType: 'Level_Start', timestamp: at(9), payload: {} },
        ...ads,
        ...(n > 1 ? [purchase] : []),
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
  /** Amounts by currency in the reporting currency of the demo studio, added up in SQL with the rates that are stored. */
  const inDollars = async (amounts: string): Promise<string> => {
    const { rows } = await sql.query<{ usd: string }>(
      `select to_char(coalesce(sum(a.amount * case a.currency when 'USD' then 1 else (
         select (r ->> 'rate')::numeric from reporting_rates v, json_array_elements(v.rates) r
         where v.version = (select max(version) from reporting_rates) and r ->> 'currency' = a.currency
       ) end), 0), 'FM999,999,990.00') as usd
       from (${amounts}) a`,
    );
    return `USD ${rows[0]?.usd}`;
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
  const DAY = `((case when clock_suspect or received_at < occurred_at then received_at else occurred_at end) at time zone 'UTC')::date`;
  const IS_TODAY = `${DAY} = ${TODAY}`;
  const cellOf = (table: string, row: string | RegExp, place: number) => () =>
    owner.page
      .getByRole('table', { name: table })
      .getByRole('row', { name: row })
      .getByRole('cell')
      .nth(place)
      .innerText();

  const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;

  it('on the overview: active players, new players, events and ad impressions of today', async () => {
    await owner.go('');
    const figure = (id: string) => () => owner.page.locator(`[data-figure="${id}"]`).innerText();
    await agree(figure('activePlayers'), () =>
      count(`select count(distinct player_id) as n from events where ${IS_TODAY}`),
    );
    await agree(figure('newPlayers'), () =>
      // The first login or the first event, whichever is earlier.
      count(
        `select count(*) as n from players p
         where least((created_at at time zone 'UTC')::date,
           (select min(${DAY}) from events where player_id = p.id)) = ${TODAY}`,
      ),
    );
    await agree(figure('events'), () => count(`select count(*) as n from events where ${IS_TODAY}`));
    await agree(figure('adImpressions'), () =>
      count(`select count(*) as n from events where event_type = 'Ad_Impression' and ${IS_TODAY}`),
    );
  });

  it('on the overview: retention of an old cohort up to day 30, whatever the time range', async () => {
    // No simulated player is as old. A cohort of this age is a part of a week, and its day 30 is over.
    await sql.query(
      `with cohort as (
         insert into game_days (game_id, day, shard, new_players)
         select id, ${TODAY} - 50, -1, 200 from games where slug = 'demo-game' returning game_id, day)
       insert into game_cohorts (game_id, cohort_day, active_day, shard, players)
       select game_id, day, day + after, -1, players
       from cohort, (values (1, 90), (7, 50), (28, 22), (30, 18)) v (after, players)`,
    );
    for (const days of ['7', '90']) {
      await owner.go(`?days=${days}`);
      const row = owner.page.getByRole('table', { name: 'Retention' }).getByRole('row', { name: ' 200 ' });
      await row.waitFor();
      const cells = await row.getByRole('cell').allInnerTexts();
      expect(cells.slice(1)).toEqual(['200', '45%', '25%', '11%', '9%']);
    }
  });

  it('for an analyst: revenue and retention of a simulated month, at a glance and in a file', async () => {
    const { page } = owner;
    const SOLD = `from transactions where refunded_at is null and purchased_at is not null`;
    const PAID_ON = `(purchased_at at time zone 'UTC')::date`;
    const figure = (id: string) => () => page.locator(`[data-figure="${id}"]`).innerText();
    const ofDay = (day: string) =>
      `select currency, sum(price) as amount ${SOLD} and ${PAID_ON} = ${day} group by currency`;
    await owner.go('?days=30');
    await agree(figure('revenue'), () => inDollars(ofDay(TODAY)));

    // Revenue of the month, by the table of the chart: a number for each day, in one currency.
    await page.getByLabel('What the chart shows').selectOption({ label: 'Revenue' });
    await page.getByRole('heading', { name: 'Revenue, USD' }).waitFor();
    await page.getByRole('figure', { name: 'Revenue' }).getByRole('button', { name: 'Table' }).click();
    const shown = await page.getByRole('table', { name: 'Revenue' }).getByRole('row').allInnerTexts();
    expect(shown).toHaveLength(31);

    // The file has the same days, in the reporting currency and as they were paid.
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).first().click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    const [names = [], ...rows] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const cell = (row: string[], name: string) => row[names.indexOf(name)] ?? '';
    expect(rows).toHaveLength(30);
    expect(new Set(rows.map((row) => cell(row, 'reportingCurrency')))).toEqual(new Set(['USD']));
    expect(rows.map((row) => cell(row, 'withoutRate')).filter(Boolean)).toEqual([]);
    const total = rows.reduce((sum, row) => sum + Number(cell(row, 'reported:revenue')), 0);
    const month = `select currency, sum(price) as amount ${SOLD} and ${PAID_ON} > ${TODAY} - 30 group by currency`;
    expect(
      `USD ${total.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`,
    ).toBe(await inDollars(month));

    // Retention: the last seven start days whose next day is over.
    const STARTS = `select id, least((created_at at time zone 'UTC')::date, first_day) as day from players`;
    await agree(figure('retention1'), async () => {
      const { rows: found } = await sql.query<{ share: number }>(
        `with cohorts as (
           select s.day, count(*) as players, count(*) filter (where exists (
             select from events e where e.player_id = s.id and ${DAY} = s.day + 1)) as returned
           from (${STARTS}) s where s.day < ${TODAY} - 1 group by s.day order by s.day desc limit 7)
         select (sum(returned) / sum(players))::float8 as share from cohorts`,
      );
      return percent(found[0]?.share ?? 0);
    });
    // Refused events need somebody, and the way to them is one click.
    await page
      .getByRole('region', { name: 'Needs somebody' })
      .getByRole('link', { name: /refused event/ })
      .click();
    await page.getByRole('table', { name: 'Reasons' }).waitFor();
  });

  it('on the analysis: what an install is worth, a funnel, and from which day on there is a forecast', async () => {
    const { page } = owner;
    // Maintenance sums some minutes after the simulation, and no simulated player is as old.
    await sql.query(
      `with cohort as (
         insert into game_install_cohorts (game_id, period, cohort, dimension, is_remainder, value, players)
         select id, 'week', date_trunc('week', now() - interval '50 days')::date, dimension, false, 'campaign', 200
         from games, unnest('{country,source}'::text[]) dimension where slug = 'demo-game'
         returning *
       ), revenue as (
         insert into game_install_revenue (game_id, period, cohort, dimension, is_remainder, value, age, currency, revenue)
         select game_id, period, cohort, dimension, is_remainder, value, age, 'USD', revenue
         from cohort, (values (0, 10.5), (7, 20), (30, 69.5)) v (age, revenue)
       )
       insert into breakdown_runs (game_id, started_at, ended_at, installs_summed_at)
       select game_id, now(), now() + interval '1 hour', now() from cohort limit 1
       on conflict (game_id) do update set installs_summed_at = now(), ended_at = excluded.ended_at`,
    );
    // The day of the old cohort is not summed yet: its figures must not look final.
    await sql.query(`delete from game_breakdown_days where day = ${TODAY} - 50`);
    const isBeingSummed = () => page.getByText(/^Being summed, \d+ of \d+ days: these numbers/).waitFor();
    await owner.go('?days=90');
    await isBeingSummed();
    await owner.go('/analysis?by=source');
    await isBeingSummed();
    const worth = page
      .getByRole('table', { name: 'Revenue per install' })
      .getByRole('row', { name: /campaign/ });
    await worth.waitFor();
    const cells = await worth.getByRole('cell').allInnerTexts();
    expect(cells.slice(1, 7)).toEqual(['200', 'USD 0.05', 'USD 0.05', 'USD 0.15', 'USD 0.15', 'USD 0.50']);

    await page.getByRole('tab', { name: 'Forecast' }).click();
    await page.getByRole('heading', { name: 'Too little data for a forecast' }).waitFor();

    await page.getByRole('tab', { name: 'Funnel' }).click();
    await page.getByRole('heading', { name: 'No funnel yet' }).waitFor();
    const steps = page.getByPlaceholder('Type of event');
    await steps.nth(0).fill('Level_Start');
    await steps.nth(1).fill('Purchase');
    // Closes the list of types, which covers what is below.
    await page.keyboard.press('Escape');
    await page.getByLabel('Time range').selectOption('dates');
    // The days stay the same: the last 30. They are in the address now.
    await expect.poll(() => page.url()).toMatch(/from=\d{4}-\d{2}-\d{2}&to=/);
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByRole('table', { name: 'Funnel' }).waitFor();
    const AT = `case when clock_suspect or received_at < occurred_at then received_at else occurred_at end`;
    const ENTERED = `select player_id, ${AT} as at from events where event_type = 'Level_Start' and ${DAY} > ${TODAY} - 30`;
    await agree(cellOf('Funnel', /Level_Start/, 1), () =>
      count(`select count(distinct player_id) as n from (${ENTERED}) e`),
    );
    await agree(cellOf('Funnel', /Purchase/, 1), () =>
      count(
        `select count(distinct e.player_id) as n from (${ENTERED}) e
         join (select player_id, ${AT} as at from events where event_type = 'Purchase') p
           on p.player_id = e.player_id and p.at > e.at and p.at <= e.at + interval '1 day'`,
      ),
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
      const fact = (name: string, text: string) =>
        owner.page.getByRole('group', { name }).getByText(text).first().waitFor();
      await fact('Paid', `USD ${usd}`);
      await fact('Paid', noun(purchases, 'purchase'));
      await fact('Last event', noun(events, 'event'));
    }
  });

  it('says which currency has no rate, and where to add it', async () => {
    const { page } = owner;
    const { headers } = await login(service.api, 'swiss');
    const payload = { transactionId: 'swiss-1', skuId: 'gems_80', price: '12.00', currency: 'CHF' };
    const purchase = { eventType: 'Purchase', timestamp: new Date().toISOString(), payload };
    expect((await post(`${service.api}/v1/events`, headers, [purchase])).status).toBe(202);
    await owner.go('');
    await page.getByText('Some payments in CHF are not in these figures', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Add the rates' }).click();
    await page.getByRole('button', { name: 'Add a rate' }).click();
    await page.getByLabel('Currency of a new rate').fill('CHF');
    await page.getByLabel('Worth of CHF').fill('1.25');
    await page.getByLabel('Holds from (UTC) of CHF').fill('2026-01-01');
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page
      .getByRole('table', { name: 'Versions of the rates' })
      .getByRole('row', { name: /v2.*Olga/ })
      .waitFor();
    await owner.go('');
    const SOLD = `select currency, sum(price) as amount from transactions
      where refunded_at is null and (purchased_at at time zone 'UTC')::date = ${TODAY} group by currency`;
    await agree(
      () => page.locator('[data-figure="revenue"]').innerText(),
      () => inDollars(SOLD),
    );
    expect(await page.getByText('are not in these figures', { exact: false }).count()).toBe(0);
  });
});
