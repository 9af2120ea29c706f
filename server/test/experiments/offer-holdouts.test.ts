import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf, isInShare, offerHoldoutSalt, userIdBytes } from '../../src/decide/compile/bucket.js';
import type { OfferEntry } from '../../src/decide/document/parts/offers.js';
import { keepErasedSums } from '../../src/experiments/keep-erased.js';
import type { Report } from '../../src/experiments/report/report-types.js';
import { withDedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { configWith, offer, sku } from '../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../support/admin-calls.js';
import { runCommand } from '../support/command.js';
import { get, publish, withoutRateLimits } from '../support/data-calls.js';
import { DAY_MS } from '../support/game-world.js';
import { createHarness, type Harness, type Session } from '../support/harness.js';
import { sum } from './support/experiment-world.js';

/** What single offers change: who is held out of one is stored, summed and reported as the arm of an experiment. */

const DEMO_GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const PLAYERS = 24;
const PERCENT = 50;

let harness: Harness;
let admin: AdminClient;
let sessions: Session[];

beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const publishWith = (change: Partial<OfferEntry>) => {
  const sale = offer('sale', { holdoutPercent: PERCENT, ...change });
  const other = offer('other', { when: 'country == "DE"', holdoutPercent: PERCENT });
  const document = configWith({ catalogue: [sku('gems')], offers: [sale, other] });
  return publish(harness.pool, document, harness.clock.now());
};
const isHeld = ({ userId }: Session) =>
  isInShare(bucketOf(offerHoldoutSalt('sale'), userIdBytes(userId)), PERCENT);

/** As many of each arm, so that the arms fit their weights: the ids of players are random. Nobody else logs in once the offer is there. */
async function logInBothArms(): Promise<Session[]> {
  const arms: Record<string, Session[]> = { true: [], false: [] };
  for (let n = 0; Object.values(arms).some((arm) => arm.length < PLAYERS / 2); n++) {
    const session = await harness.login(`held-${n}`);
    const arm = arms[String(isHeld(session))];
    if (arm !== undefined && arm.length < PLAYERS / 2) arm.push(session);
  }
  return Object.values(arms).flat();
}

async function storedArms(seed: string) {
  const { rows } = await harness.pool.query<{ userId: string; experimentId: string; variantId: string }>(
    `select p.user_id as "userId", e.experiment_id as "experimentId", e.variant_id as "variantId"
     from experiment_exposures e join players p on p.id = e.player_id where e.seed = $1`,
    [seed],
  );
  return rows.sort((a, b) => (a.userId < b.userId ? -1 : 1));
}

type Shown = { offerId: string; holdoutPercent: number; sentence: string; report: Report | null };
const holdouts = async () =>
  (await admin.ask<{ offers: Shown[] }>('GET', `${GAME}/offer-holdouts`, undefined, admin.tokens.viewer))
    .offers;

describe('the hold-out of an offer', () => {
  it('stores whom the offer applies to, or would, and tells nobody', async () => {
    sessions = await logInBothArms();
    await publishWith({});
    for (const session of sessions) {
      const store = (await get(harness.app, '/v1/player/store_configs', session)).json();
      expect(store.activeSkus[0].offerPrice).toBe(isHeld(session) ? 10 : 9);
      const { experiments } = (await get(harness.app, '/v1/player/values', session)).json();
      expect(experiments).toEqual([]);
    }
    const expected = sessions
      .map((session) => ({
        userId: session.userId,
        experimentId: 'offer:sale',
        variantId: isHeld(session) ? 'held_out' : 'offered',
      }))
      .sort((a, b) => (a.userId < b.userId ? -1 : 1));
    expect(await storedArms(String(PERCENT))).toEqual(expected);
  });

  it('is reported as an experiment is, since the share was published', async () => {
    expect(await holdouts()).toMatchObject([
      {
        offerId: 'sale',
        holdoutPercent: PERCENT,
        report: null,
        sentence: expect.stringContaining('Running'),
      },
      { offerId: 'other', report: null },
    ]);
    const nowMs = harness.clock.now() + 2 * DAY_MS;
    expect(await sum(harness, { nowMs })).toEqual({ isDone: true, experimentsSummed: 2 });
    const [sale, other] = await holdouts();
    expect(sale?.sentence).toMatch(/^Too few players for a verdict: held_out has/);
    expect(sale?.report?.arms.map(({ variantId, weight, players }) => [variantId, weight, players])).toEqual([
      ['held_out', PERCENT, PLAYERS / 2],
      ['offered', 100 - PERCENT, PLAYERS / 2],
    ]);
    expect(sale?.report?.metrics.map(({ title, role }) => [title, role])).toEqual([
      ['Conversion', 'primary'],
      ['Revenue per player', 'secondary'],
    ]);
    expect(other?.report?.arms.map(({ players }) => players)).toEqual([0, 0]);
    const list = await admin.ask<{ experiments: object[] }>('GET', `${GAME}/experiments`);
    expect(list.experiments).toEqual([]);
    const printed = await runCommand(harness.databaseUrl, 'experiments', 'holdouts', ...DEMO_GAME);
    expect(printed).toMatchObject({ code: 0, out: expect.stringContaining(`sale  ${PERCENT}% held out`) });
  });

  it('says when the offer has changed, and begins anew with another share', async () => {
    await publishWith({ effect: { price: { discountPercent: '20' } } });
    const nowMs = harness.clock.now() + 3 * DAY_MS;
    await sum(harness, { nowMs });
    const [sale] = await holdouts();
    expect(sale?.report?.gates).toContainEqual(expect.objectContaining({ gate: 'arm_changed' }));

    harness.clock.set(harness.clock.now() + 1_000);
    await publishWith({ holdoutPercent: 60 });
    expect((await holdouts())[0]).toMatchObject({ holdoutPercent: 60, report: null });
    const [session] = sessions;
    if (session === undefined) throw new Error('nobody is there');
    await get(harness.app, '/v1/player/store_configs', session);
    expect(await storedArms('60')).toMatchObject([{ userId: session.userId, experimentId: 'offer:sale' }]);
    const { rows } = await harness.pool.query(
      'select running_experiments as running from games where slug = $1',
      ['demo-game'],
    );
    expect(rows[0]?.running).toEqual([
      ['offer:sale', '60', null],
      ['offer:other', String(PERCENT), null],
    ]);
    // Who was drawn under the share before does not count again, also when erased.
    const fresh = [await harness.login('fresh-0'), await harness.login('fresh-1')];
    for (const each of fresh) await get(harness.app, '/v1/player/store_configs', each);
    const later = harness.clock.now() + 4 * DAY_MS;
    await sum(harness, { nowMs: later });
    const [renewed] = await holdouts();
    const counted = renewed?.report?.arms.reduce((all, arm) => all + arm.players, 0);
    expect(counted).toBe(fresh.length);
    const erased = await withDedicatedConnection(harness.pool, async (connection) => {
      const ids = await connection.query<{ id: string }>('select id from players');
      await connection.query('begin');
      await keepErasedSums(
        connection,
        ids.rows.map(({ id }) => id),
        later,
      );
      const { rows: arms } = await connection.query<{ players: number }>(
        `select players from experiment_erased where experiment_id = 'offer:sale' and seed = '60'`,
      );
      await connection.query('rollback');
      return arms.reduce((all, arm) => all + arm.players, 0);
    });
    expect(erased).toBe(fresh.length);
  });

  it('is summed for four weeks after the offer, and not while nobody can get it', async () => {
    const until = new Date(harness.clock.now() + DAY_MS).toISOString();
    await publishWith({ until });
    const other = 1;
    const summedAfter = async (days: number) =>
      (await sum(harness, { nowMs: harness.clock.now() + days * DAY_MS })).experimentsSummed;
    expect(await summedAfter(28)).toBe(1 + other);
    expect(await summedAfter(32)).toBe(other);
    expect((await holdouts())[0]?.report).not.toBeNull();

    await publishWith({ sharePercent: 0 });
    const { rows } = await harness.pool.query(
      'select running_experiments as running from games where slug = $1',
      ['demo-game'],
    );
    expect(rows[0]?.running).toEqual([['offer:other', String(PERCENT), null]]);
  });
});
