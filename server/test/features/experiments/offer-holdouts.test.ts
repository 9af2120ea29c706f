import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../../src/features/experiments/report/report-types.js';
import {
  bucketOf,
  isInShare,
  offerHoldoutSalt,
  userIdBytes,
} from '../../../src/personalisation/compile/bucket.js';
import type { OfferEntry } from '../../../src/personalisation/document/parts/offers.js';
import { configWith, offer, sku } from '../../personalisation/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { get, publish, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
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
    await publishWith({});
    sessions = await Promise.all(Array.from({ length: PLAYERS }, (_, n) => harness.login(`held-${n}`)));
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
    expect(new Set(expected.map(({ variantId }) => variantId)).size).toBe(2);
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
    const held = sessions.filter(isHeld).length;
    expect(sale?.report?.arms.map(({ variantId, weight, players }) => [variantId, weight, players])).toEqual([
      ['held_out', PERCENT, held],
      ['offered', 100 - PERCENT, PLAYERS - held],
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
  });
});
