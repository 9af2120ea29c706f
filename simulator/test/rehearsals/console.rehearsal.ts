import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../e2e/support/browser.js';
import { endExperiment, publishDraft, type Visitor, visit } from '../../../e2e/support/console.js';
import { startRealService } from '../../../sdk/test/support/real-service.js';
import { DEMO } from '../../../server/src/app/demo-studio.js';
import type { Report } from '../../../server/src/experiments/report/report-types.js';
import { addMember } from '../../../server/src/studio/accounts/account-changes.js';
import { signInPath } from '../../../server/src/studio/accounts/sign-in-links.js';
import { tenantIdOf } from '../../../server/test/support/account-calls.js';
import { openAdminClient } from '../../../server/test/support/admin-calls.js';
import { NO_CHANGE } from '../../src/model/reaction.js';
import { CASUAL, DAY_MS, startOfDay } from '../../src/model/simulation.js';
import { trueChange } from '../../src/model/truth.js';
import { type Conduct, conductExperiment, publishParts, READING, type World } from '../support/rehearsal.js';

/**
 * An experiment from plan to end by somebody at the console, in a real browser, with players who react: planned and started by its form, looked at
 * every day on its page, ended with the button that gives everybody the winner, and read once more when it is not in the document any more.
 */

const SEEDS = Number(process.env.SEEDS ?? 3);
const FIRST = Number(process.env.FIRST_SEED ?? 1);
/** Where pictures of the pages go; none without it. */
const PICTURES = process.env.PICTURES;
const REHEARSED = { players: 300, installDays: 2, days: 3 };
/** Many pay, so that 150 players in an arm are enough for an interval. */
const HABITS = { ...CASUAL, sessionsPerDay: 0.5, payerShare: 0.4, purchasesPerSession: 3 };
const PURCHASES = { kind: 'sum', sum: { of: 'purchases' } } as const;
const NAME = 'More gems';
const CHANGES = [1, 1.25, 0.7].map((conversion) => ({ ...NO_CHANGE, conversion }));

/** What the page said: the verdict, players by arm, and the interval of arm b, if there was one yet. */
type Look = { verdict: string; players: number[]; interval: { low: number; high: number } | null };

let world: World;
let browser: Browser;
let person: Visitor;

beforeAll(async () => {
  const service = await startRealService();
  const admin = await openAdminClient(service);
  world = { service, admin };
  const ops = await admin.app.listen({ host: '127.0.0.1', port: 0 });
  const nowMs = service.clock.now();
  const member = {
    email: 'ana@studio.example',
    name: 'Ana',
    role: 'editor',
    linkExpiresAt: nowMs + DAY_MS,
  } as const;
  const tenantId = await tenantIdOf(service, DEMO.tenant);
  const added = await addMember(service.pool, { ...member, tenantId }, { name: 'test', nowMs });
  if (added.outcome !== 'added' || added.token === null) throw new Error('Ana is there already');
  browser = await launchBrowser();
  person = await visit(browser, { ops });
  await person.page.goto(`${ops}${signInPath(added.token)}`);
  await person.page.getByRole('navigation', { name: 'Pages' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await world.admin.close();
  await world.service.close();
});

const go = (game: string, path: string) => person.go(path, { studio: DEMO.tenant, game });

const atConsole: Conduct<Look> = {
  async start(game, { plan }) {
    const { page } = person;
    await go(game, '/experiments');
    await page.getByRole('button', { name: 'Add experiment' }).click();
    await page.getByLabel('Id', { exact: true }).fill('tried');
    await page.getByLabel('Name', { exact: true }).first().fill(NAME);
    await page.getByLabel('Hypothesis').fill('Players with more gems buy more often.');
    await page.getByLabel('The metric that decides', { exact: true }).last().selectOption('sum');
    await page.getByLabel('Sum of').selectOption('purchases');
    await page.getByLabel('Planned').check();
    await page.getByLabel('Players, in all arms').fill(String(plan?.players));
    await page.getByLabel('Days', { exact: true }).fill(String(plan?.days));
    await takePictures(page, `${game}-form`);
    await publishDraft(page);
    // What the arm changes is not part of the form.
    await publishParts(world.admin, game, { values: [READING] });
    await go(game, '/experiments');
    const row = page.getByRole('row', { name: new RegExp(NAME) });
    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await publishDraft(page);
    await row.getByText('running', { exact: true }).waitFor();
  },

  async look(game) {
    const { page } = person;
    await go(game, '/experiments?experiment=tried');
    const look = await readPage(game);
    await takePictures(page, `${game}-report`);
    return look;
  },

  async end(game, last) {
    const { page } = person;
    const winner = (last?.interval?.low ?? 0) > 0 ? 'b' : 'a';
    await endExperiment(page, NAME, winner);
    const words = `decided: ${winner === 'b' ? 'Changed' : 'As it is'} for all`;
    await page.getByText(words, { exact: true }).waitFor();
    await takePictures(page, `${game}-decided`);
    return words;
  },
};

/** The first interval is that of the metric that decides. The page has to say what the admin API says. */
async function readPage(game: string): Promise<Look> {
  const { page } = person;
  const arms = page.getByRole('table', { name: 'Players of each arm' }).getByRole('row');
  await arms.first().waitFor();
  const cells = await arms.locator('td:last-child').allTextContents();
  const drawn = page.getByRole('img', { name: /^b: / });
  const label = (await drawn.count()) === 0 ? null : await drawn.first().getAttribute('aria-label');
  const { report } = await world.admin.ask<{ report: Report }>('GET', `/games/${game}/experiments/tried`);
  await page.getByText(report.verdict, { exact: true }).first().waitFor();
  const players = cells.map((text) => Number(text.replaceAll(',', '')));
  return { verdict: report.verdict, players, interval: intervalOf(label) };
}

/** From `b: −1.2% to +30.1%`. */
function intervalOf(label: string | null) {
  const found = /^b: (\S+)% to (\S+)%$/.exec(label?.replaceAll('−', '-').replaceAll(',', '') ?? '');
  return found === null ? null : { low: Number(found[1]) / 100, high: Number(found[2]) / 100 };
}

async function takePictures(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const take = (kind: string) =>
    page.screenshot({ path: join(PICTURES, `${name}-${kind}.png`), fullPage: true });
  await take('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await take('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const wide = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await take('narrow');
  if (wide !== null) await page.setViewportSize(wide);
}

it('plans, starts, watches, ends and remembers an experiment', async () => {
  const fromMs = startOfDay(world.service.clock.now()) + DAY_MS;
  let covered = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const change = CHANGES[seed % CHANGES.length] ?? NO_CHANGE;
    const truth = trueChange(PURCHASES, change, NO_CHANGE) ?? 0;
    const metrics = { primary: PURCHASES, secondary: [], guardrails: [] };
    const rehearsal = { ...REHEARSED, seed, habits: HABITS, fromMs, metrics, changes: { b: change } };
    const { game, told, looks, sentence } = await conductExperiment(world, rehearsal, atConsole);
    const last = looks.at(-1);
    expect(last?.players).toEqual(
      Object.entries(told)
        .sort()
        .map(([, players]) => players),
    );
    const { experiments } = await world.admin.ask<{ experiments: object[] }>(
      'GET',
      `/games/${game}/experiments`,
    );
    const winner = sentence.includes('Changed') ? 'b' : 'a';
    expect(experiments).toMatchObject([{ experiment: { state: 'decided', winner, metrics } }]);
    const { low = Number.NaN, high = Number.NaN } = last?.interval ?? {};
    // The page rounds to a tenth of a percent.
    if (low - 0.0005 <= truth && truth <= high + 0.0005) covered++;
    process.stdout.write(
      `seed ${seed}: truth ${truth.toFixed(2)}; ${looks.map(({ verdict }) => verdict).join(' | ')}; ${sentence}\n`,
    );

    // Out of the document, and its report is still there.
    await publishParts(world.admin, game, { experiments: [], values: [] });
    const { page } = person;
    await go(game, '/experiments');
    const former = page.getByRole('table', { name: 'Former experiments' });
    await former.getByRole('link', { name: NAME }).click();
    await page.getByText('Not in the published version any more.', { exact: false }).waitFor();
    // It is over, so nothing is said of what might have come.
    const verdict = last?.verdict.replace(/ At today’s pace .*$/, '');
    expect(await readPage(game)).toEqual({ ...last, verdict });
    await takePictures(page, `${game}-former`);
  }
  process.stdout.write(`${SEEDS} seeds: the interval on the page covers the truth in ${covered}.\n`);
  expect(covered).toBe(SEEDS);
  expect(person.problems).toEqual([]);
});
