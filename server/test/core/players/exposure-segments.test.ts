import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storeExposures } from '../../../src/core/players/exposure-queries.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { updateAgeGroup } from '../../../src/liveops/servers/served-player-queries.js';
import { configWith, experiment, offer, segment, value } from '../../decide/support/fixtures.js';
import { get, publish, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

/** In which segments a player was is stored with the first exposure. */

let harness: Harness;
let gameId: number;
let seeds = 0;
/** Of each test, so that what other tests stored does not count. */
let seed: string;

beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  const { rows } = await harness.pool.query("select id from games where slug = 'demo-game'");
  gameId = rows[0].id;
});
afterAll(() => harness.close());
beforeEach(() => {
  seed = `seed-${++seeds}`;
});

const SEGMENTS = [
  segment('payers', 'purchases.total > 0'),
  segment('hidden', 'purchases.total == 0', { visibleToClients: false }),
  segment('predicted', 'predictions.churn.value >= 0'),
  // An id that an array of PostgreSQL would read as something else.
  segment('null', 'true'),
  segment('treated', 'experiment("x") == "a" || experiment("x") == "b"'),
  segment('behind_flag', 'flags.treated'),
];
const documentWith = (parts: Partial<ConfigDocument> = {}) =>
  configWith({
    experiments: [experiment('x', { seed })],
    flags: {
      isPayer: { payerForDays: null },
      custom: [{ flagId: 'treated', name: 'A flag', defaultValue: false, rule: 'experiment("x") != ""' }],
    },
    segments: SEGMENTS,
    values: [value('jump', { rules: [{ when: 'experiment("x") == "b"', sharePercent: 100, value: 2 }] })],
    ...parts,
  });
const publishWith = (parts?: Partial<ConfigDocument>) =>
  publish(harness.pool, documentWith(parts), harness.clock.now());
const read = async (session: Session) => {
  const response = await get(harness.app, '/v1/player/values', session);
  return response.json<{ experiments: { variantId: string }[] }>().experiments;
};
const storedOf = async ({ userId }: Session) => {
  const { rows } = await harness.pool.query<{ id: string; segments: string[] | null }>(
    `select e.experiment_id as id, e.segments from experiment_exposures e join players p on p.id = e.player_id
     where p.user_id = $1 and e.seed = any($2) order by 1`,
    [userId, [seed, '50']],
  );
  return rows;
};
const buy = async (session: Session) => {
  const timestamp = new Date(harness.clock.now()).toISOString();
  const payload = { transactionId: `${seed}-t`, skuId: 'a', price: 1.99, currency: 'USD' };
  const response = await postEvents(harness.app, session, [{ eventType: 'Purchase', timestamp, payload }]);
  expect(response.statusCode, response.body).toBe(202);
};
/** Logged in while no experiment runs. */
const loginBefore = async (name: string) => {
  await publish(harness.pool, configWith(), harness.clock.now());
  return harness.login(`${seed}-${name}`);
};

describe('an exposure', () => {
  it('stores the segments that the player is in, but none that an experiment decides about', async () => {
    const [payer, other] = [await loginBefore('payer'), await harness.login(`${seed}-other`)];
    await buy(payer);
    await publishWith();
    for (const session of [payer, other]) expect(await read(session)).toHaveLength(1);
    expect(await storedOf(payer)).toEqual([{ id: 'x', segments: ['payers', 'predicted', 'null'] }]);
    expect(await storedOf(other)).toEqual([{ id: 'x', segments: ['hidden', 'predicted', 'null'] }]);
    // The player is told them all the same.
    const told = (await get(harness.app, '/v1/player/segments', other)).json<{
      segments: { segmentId: string }[];
    }>();
    expect(told.segments.map(({ segmentId }) => segmentId)).toContain('behind_flag');
  });

  it('keeps them, whatever becomes of the player and of the segments', async () => {
    await publishWith();
    const session = await harness.login(`${seed}-first`);
    const stored = [{ id: 'x', segments: ['hidden', 'predicted', 'null'] }];
    expect(await storedOf(session)).toEqual(stored);
    await buy(session);
    expect(await read(session)).toHaveLength(1);
    expect(await storedOf(session)).toEqual(stored);
    await publishWith({ segments: [...SEGMENTS, segment('more', 'true')] });
    expect(await read(session)).toHaveLength(1);
    expect(await storedOf(session)).toEqual(stored);
    // Another node may have told the player the arm at the same time.
    const { rows } = await harness.pool.query('select id from players where user_id = $1', [session.userId]);
    const arms = [{ experimentId: 'x', seed, variantId: 'b' }];
    const late = {
      playerId: rows[0].id,
      atMs: harness.clock.now(),
      arms,
      forecast: null,
      segments: ['late'],
    };
    expect(await storeExposures(harness.pool, [late])).toMatchObject({ stored: 0 });
    expect(await storedOf(session)).toEqual(stored);
  });

  it('stores an empty list for a player who is in none of them', async () => {
    await publishWith({ segments: [segment('payers', 'purchases.total > 0')] });
    expect(await storedOf(await harness.login(`${seed}-none`))).toEqual([{ id: 'x', segments: [] }]);
  });

  it('to the hold-out of an offer has no segments', async () => {
    await publishWith({ offers: [offer('held', { holdoutPercent: 50 })] });
    const session = await harness.login(`${seed}-held`);
    expect(await storedOf(session)).toEqual([
      { id: 'offer:held', segments: null },
      { id: 'x', segments: ['hidden', 'predicted', 'null'] },
    ]);
  });

  it('loses them when the player is said to be a child: some may follow from a prediction', async () => {
    await publishWith();
    const [child, teen] = [await harness.login(`${seed}-child`), await harness.login(`${seed}-teen`)];
    for (const [{ userId }, ageGroup] of [
      [child, 'child'],
      [teen, 'teen'],
    ] as const) {
      expect(await updateAgeGroup(harness.pool, gameId, userId, ageGroup, harness.clock.now())).toBe(true);
    }
    expect(await storedOf(child)).toEqual([{ id: 'x', segments: null }]);
    expect(await storedOf(teen)).toEqual([{ id: 'x', segments: ['hidden', 'predicted', 'null'] }]);
  });

  it('under a version that a node of the release before has published has none', async () => {
    await publishWith();
    await harness.pool.query(
      `update config_versions v set exposure_segments = null from games g
       where g.id = v.game_id and v.version = g.published_version and g.slug = 'demo-game'`,
    );
    expect(await storedOf(await harness.login(`${seed}-former`))).toEqual([{ id: 'x', segments: null }]);
  });
});
