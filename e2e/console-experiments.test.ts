/** @module-tag full */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Experiment } from '../console/src/lib/document.js';
import { reportOf } from '../server/src/experiments/report/report.js';
import {
  CONVERSION,
  figures,
  SESSIONS,
  simulate,
  spent,
  testExperiment,
} from '../server/test/experiments/support/simulated-sums.js';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import {
  askAsPage,
  closeConsole,
  endExperiment,
  openConsole,
  publishDraft,
  saveDraft,
  type Visitor,
} from './support/console.js';
import { login, post, type Service, type Settings } from './support/service.js';

/** As if the experiment had run for a month: its report, in which each metric has an interval. */
async function insertReport(url: string | undefined): Promise<void> {
  const guardrails = [{ metric: SESSIONS, worse: 'lower' as const, marginPercent: 5 }];
  const experiment = testExperiment({ metrics: { primary: CONVERSION, secondary: [], guardrails } });
  const sums = simulate(experiment, { a: 500, b: 500 }, (_, random) =>
    figures({ since: { ...spent(random() < 0.2 ? 5 : 0), sessions: Math.floor(10 * random()) } }),
  );
  const report = reportOf({
    ...{ experiment, sums, from: '2026-10-01', to: '2026-10-30', days: 30 },
    ...{ plannedEnd: undefined, armChanges: [] },
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into experiment_runs as r (game_id, experiment_id, seed, started_at, ended_at, checked_version)
     select game_id, 'first_offer', '1', '2026-10-01', max(published_at), 1 from config_versions
     where game_id = (select id from games where slug = 'demo-game') group by game_id
     on conflict (game_id, experiment_id, seed) do update set started_at = excluded.started_at, ended_at = excluded.ended_at`,
  );
  await client.query(
    `insert into experiment_reports (game_id, experiment_id, seed, day, report, made_at)
     select game_id, experiment_id, seed, '2026-10-30', $1, now() from experiment_runs`,
    [JSON.stringify(report)],
  );
  await client.end();
}

describe.skipIf(!HAS_BROWSER)(
  `experiments, values, attributes and the calendar in the console${NEEDS_BROWSER}`,
  () => {
    let service: Service;
    let settings: Settings;
    let owner: Visitor;

    beforeAll(async () => {
      ({ service, settings, owner } = await openConsole());
    }, 400_000);
    afterAll(closeConsole);

    const save = () => saveDraft(owner.page);
    const publish = () => publishDraft(owner.page);

    it('creates, starts and ends an experiment', async () => {
      const { page, go } = owner;
      const published = async () => {
        const { experiments } = await askAsPage<{ experiments: { experiment: Experiment }[] }>(
          ...[page, 'GET', '/games/demo-game/experiments'],
        );
        return experiments.map(({ experiment }) => experiment);
      };
      await go('/experiments');
      await page.getByRole('button', { name: 'Add experiment' }).click();
      await page.getByLabel('Id', { exact: true }).fill('first_offer');
      await page.getByLabel('Name', { exact: true }).first().fill('Half its price');
      const arm = page.getByLabel('Id of arm 2');
      await arm.fill('a');
      await page.getByText('"a" is the id of another variant.').first().waitFor();
      await arm.fill('half');
      // Digit by digit: what is typed halfway is not taken for another number.
      const coverage = page.getByLabel('Coverage, in percent');
      await coverage.fill('');
      await coverage.pressSequentially('12.5');
      await page.getByRole('button', { name: 'Add guardrail' }).click();
      await page.getByText('What can this game measure?').last().waitFor();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('Starts when the draft is published.').waitFor();
      await page.getByText('Nothing reads it: no rule asks for experiment("first_offer")').waitFor();
      await publish();
      expect(await published()).toMatchObject([
        {
          ...{ experimentId: 'first_offer', name: 'Half its price', coveragePercent: 12.5, state: 'running' },
          variants: [{ variantId: 'a' }, { variantId: 'half' }],
          metrics: { guardrails: [{ worse: 'lower', marginPercent: 5 }] },
        },
      ]);

      const row = page.getByRole('row', { name: /Half its price/ });
      await row.getByText('running', { exact: true }).waitFor();
      await row.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('Fixed: players were drawn by it.', { exact: false }).first().waitFor();
      expect(await arm.isDisabled()).toBe(true);
      expect(await coverage.isDisabled()).toBe(false);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });

      await row.getByRole('link', { name: 'Half its price' }).click();
      // Before the first report.
      await page.getByText('The first report comes after', { exact: false }).waitFor();
      await page.getByText('Metrics: Conversion (decides), ', { exact: false }).waitFor();
      await page.getByText('Who: 12.5% of all players').waitFor();
      await page.getByRole('row', { name: 'half Changed 1 0' }).waitFor();
      await page.getByText('Nothing is counted before the first report').waitFor();
      expect(await page.getByRole('button', { name: 'Count again' }).isDisabled()).toBe(true);
      await endExperiment(page, 'Half its price', 'half', 'Half is enough.');
      await page.getByText('Decided: Changed for all.', { exact: false }).waitFor();
      expect(await published()).toMatchObject([{ state: 'decided', winner: 'half' }]);
      expect(owner.problems).toEqual([]);
    });

    it('shows what an ended experiment has shown, also on a narrow page, and after it was drawn anew', async () => {
      const { page, go } = owner;
      await insertReport(settings.DATABASE_URL);
      await go('/experiments?experiment=first_offer');
      await page.getByText('by Olga: “Half is enough.”', { exact: false }).waitFor();
      await page.getByText('The sentence asks about harm only', { exact: false }).waitFor();
      expect(await page.getByText('today’s', { exact: false }).count()).toBe(0);
      await page.setViewportSize({ width: 390, height: 844 });
      for (const words of await page.locator('.intervals-row .intervals-words').all()) {
        expect(await words.isVisible()).toBe(true);
        expect(await words.textContent()).toMatch(/^[−+].+ to [−+]/);
      }
      await page.setViewportSize({ width: 1280, height: 800 });

      await go('/experiments?edit=first_offer');
      await page.getByRole('button', { name: 'Draw all players anew' }).click();
      await publish();
      const former = page.getByRole('table', { name: 'Former experiments' });
      await former.getByText('first_offer, seed 1').waitFor();
      await former.getByRole('link', { name: 'Half its price' }).click();
      await page
        .getByText('the published version has this experiment with seed 2', { exact: false })
        .waitFor();
      expect(owner.problems).toEqual([]);
    });

    it('refuses a value of the wrong type beside its field, and publishes the right one', async () => {
      const { page, go } = owner;
      await go('/values');
      await page.getByRole('button', { name: 'Add value' }).click();
      await page.getByLabel('Id', { exact: true }).fill('jump_height');
      const initial = page.getByLabel('Default', { exact: true });
      await initial.fill('high');
      await page.getByText('must be a whole number', { exact: false }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('region', { name: 'Draft' }).getByText('1 problem').waitFor();
      const savedValues = async () =>
        (await askAsPage<{ document: { values?: unknown[] } }>(page, 'GET', '/games/demo-game/draft'))
          .document.values ?? [];
      expect(await savedValues()).toEqual([]);

      await page.getByRole('button', { name: 'jump_height' }).click();
      await initial.fill('3');
      await page.getByLabel('At most', { exact: true }).fill('5');
      await page.getByRole('button', { name: 'Add rule' }).click();
      const ofRule = page.getByLabel('Value of rule 1');
      await ofRule.fill('9');
      await page.getByText('must be at most 5', { exact: false }).first().waitFor();
      await ofRule.fill('4');
      await publish();
      const player = await login(service.api, 'jumper');
      const told = await fetch(`${service.api}/v1/player/values`, { headers: player.headers });
      expect(await told.json()).toMatchObject({ values: { jump_height: 4 } });
      expect(owner.problems).toEqual([]);
    });

    it('defines an attribute, pins a variant for a player, and tries a draft on the past', async () => {
      const { page, go } = owner;
      await go('/attributes');
      await page.getByRole('button', { name: 'Add attribute' }).click();
      await page.getByLabel('Id', { exact: true }).fill('level');
      await publish();
      // A player who comes now has no past that had to be worked out first.
      const player = await login(service.api, 'level-device');
      const event = { eventType: 'Level_Up', timestamp: new Date().toISOString(), payload: { level: 12 } };
      expect((await post(`${service.api}/v1/events`, player.headers, [event])).status).toBe(202);
      await go(`/players/${player.userId}`);
      await page
        .getByRole('region', { name: 'Attributes' })
        .getByRole('row', { name: 'own.level 12' })
        .waitFor();

      // A test device sees the other arm.
      const experiments = page.getByRole('region', { name: 'Experiments' });
      await experiments.getByRole('button', { name: 'Pin' }).click();
      const pin = page.getByRole('dialog', { name: 'Pin first_offer' });
      await pin.getByLabel('Variant').selectOption('a');
      await pin.getByLabel('Reason').fill('a test device');
      await pin.getByRole('button', { name: 'Pin the variant' }).click();
      await experiments.getByText('Variant a of experiment first_offer: pinned', { exact: false }).waitFor();

      await go('/segments');
      await page.getByRole('button', { name: 'Add segment' }).click();
      await page.getByLabel('Rule (CEL)').fill('own.level >= 10');
      const audience = page.getByRole('status', { name: 'Audience' });
      await expect.poll(() => audience.textContent()).toMatch(/1 of \d+ player/);
      await save();
      await page.getByRole('button', { name: 'Back-test' }).click();
      await page.getByRole('button', { name: 'Run the back-test' }).click();
      await page.getByText('who were here since then', { exact: false }).waitFor();
      expect(owner.problems).toEqual([]);
    });

    it('shows a month in the studio’s zone', async () => {
      const { page, go } = owner;
      await go('/store?tab=rules');
      await page.getByRole('textbox', { name: 'The studio’s time zone' }).fill('Asia/Tokyo');
      await page.keyboard.press('Escape');
      await page.getByLabel('Tell players what each price follows from').check();
      const countries = page.getByRole('textbox', { name: 'Countries whose players are told' });
      await countries.fill('de');
      await countries.press('Enter');
      await save();
      await go('/store?tab=offers&offer=thank_you');
      await page.getByRole('button', { name: 'Only at certain times' }).click();
      await save();
      const { document } = await askAsPage<{ document: object }>(page, 'GET', '/games/demo-game/draft');
      expect(document).toMatchObject({
        calendar: { studioZone: 'Asia/Tokyo' },
        pricing: { lowestPriceCountries: ['DE'] },
      });
      await go('/store?tab=calendar&month=2026-02');
      expect(await page.getByRole('textbox', { name: 'For players in' }).inputValue()).toBe('Asia/Tokyo');
      const windows = page.getByRole('row', { name: /thank_you/ }).getByRole('img');
      await expect.poll(() => windows.getAttribute('aria-label')).toContain('18:00');
      await page.getByRole('button', { name: 'Month after' }).click();
      await page.getByText('March 2026').waitFor();
      expect(owner.problems).toEqual([]);
    });

    it('asks before the end of an experiment raises a price', async () => {
      const { page, go } = owner;
      type Draft = { revision: number; document: Record<string, unknown[]> };
      const { revision, document } = await askAsPage<Draft>(page, 'GET', '/games/demo-game/draft');
      const [former] = document.experiments ?? [];
      const price = { experimentId: 'cheap_pack', name: 'A cheap pack', state: 'running', winner: undefined };
      const experiment = { ...(former as Experiment), ...price };
      const offer = {
        ...{ offerId: 'cheap_pack', name: 'A cheap pack', when: 'experiment("cheap_pack") == "half"' },
        ...{ from: null, until: null, sharePercent: 100, skus: ['gems_80'], limitPerPlayer: null },
        ...{ effect: { price: { discountPercent: '50' } }, combine: false },
      };
      const next = {
        ...document,
        experiments: [former, experiment],
        offers: [offer, ...(document.offers ?? [])],
      };
      const saved = await askAsPage<Draft>(page, 'PUT', '/games/demo-game/draft', {
        revision,
        document: next,
      });
      // The draft has windows for an offer that runs all day, which raises its price, too.
      const publication = { revision: saved.revision, note: '', confirmPriceRaises: true };
      await askAsPage(page, 'POST', '/games/demo-game/draft/publish', publication);

      await go('/experiments?experiment=cheap_pack');
      await endExperiment(page, 'A cheap pack', 'a');
      const end = page.getByRole('dialog', { name: 'End “A cheap pack”' });
      const alert = end.getByRole('alert').filter({ hasText: 'Prices would go up' });
      await alert.getByText('gems_80 in offer cheap_pack', { exact: false }).waitFor();
      await end.getByLabel('These prices are meant to go up').check();
      await end.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Decided: As it is for all.', { exact: false }).waitFor();
      expect(owner.problems).toEqual([]);
    });
  },
);
