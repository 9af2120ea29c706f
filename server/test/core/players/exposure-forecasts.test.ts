import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PredictionSettings } from '../../../src/decide/document/parts/predictions.js';
import type { Artefact } from '../../../src/decide/predict/artefact.js';
import { updateAgeGroup } from '../../../src/liveops/servers/served-player-queries.js';
import { configWith, experiment, value } from '../../decide/support/fixtures.js';
import { get, publish, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { putInForce, shiftedChurn, trainedArtefact } from '../../support/prediction-models.js';

/** What the models expect of a player is stored with the first exposure. */

let harness: Harness;
let gameId: number;
let artefact: Artefact;
let seeds = 0;
/** Of each test, so that what other tests stored does not count. */
let seed: string;

beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 30 * 86_400 } });
  harness.clock.set((Math.floor(harness.clock.now() / DAY_MS) + 0.5) * DAY_MS);
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  gameId = rows[0]?.id ?? 0;
  artefact = trainedArtefact();
});
afterAll(() => harness.close());
beforeEach(() => {
  seed = `seed-${++seeds}`;
});

const VISIBLE = ['churn', 'spend', 'revenue'] as const;
const publishWith = (more: Partial<PredictionSettings> = {}, rules = 'experiment("x") == "b"') =>
  publish(
    harness.pool,
    configWith({
      experiments: [experiment('x', { seed })],
      values: [value('jump', { rules: [{ when: rules, sharePercent: 100, value: 2 }] })],
      predictions: { visibleToClients: [...VISIBLE], off: [], ...more },
    }),
    harness.clock.now(),
  );
const isTold = async (session: Session) => {
  const response = await get(harness.app, '/v1/player/values', session);
  const [arm] = response.json<{ experiments: { variantId: string }[] }>().experiments;
  return arm?.variantId;
};
/** As `GET /v1/player/predictions` tells them now. */
const predicted = async (session: Session): Promise<(number | null)[]> => {
  const { predictions } = (await get(harness.app, '/v1/player/predictions', session)).json();
  return VISIBLE.map((name) => (predictions[name].state === 'ready' ? predictions[name].value : null));
};
const stored = async ({ userId }: Session): Promise<(number | null)[] | null | undefined> => {
  const { rows } = await harness.pool.query(
    `select e.forecast from experiment_exposures e join players p on p.id = e.player_id
     where p.user_id = $1 and e.seed = $2`,
    [userId, seed],
  );
  return rows[0]?.forecast;
};
const force = (model: Artefact, distrusted: Parameters<typeof putInForce>[4] = []) => {
  harness.clock.advance(1_000);
  return putInForce(harness.pool, gameId, model, harness.clock.now(), distrusted);
};

/** Logged in while no experiment runs. */
async function playedOn(name: string, daysAgo: readonly number[], price?: number): Promise<Session> {
  const session = await harness.login(`${seed}-${name}`);
  const at = (ago: number) => new Date(harness.clock.now() - ago * DAY_MS).toISOString();
  const events = daysAgo.flatMap((ago) => [
    { eventType: 'Session_Start', timestamp: at(ago), payload: { sessionId: `${name}-${ago}` } },
    ...(price === undefined
      ? []
      : [
          {
            eventType: 'Purchase',
            timestamp: at(ago),
            payload: { transactionId: `${seed}-${name}-${ago}`, skuId: 'a', price, currency: 'USD' },
          },
        ]),
  ]);
  const response = await postEvents(harness.app, session, events);
  expect(response.statusCode, response.body).toBe(202);
  return session;
}

describe('an exposure', () => {
  it('has no forecast before there is a model', async () => {
    const session = await playedOn('early', [3, 2, 1]);
    await publishWith();
    expect(await isTold(session)).toMatch(/^[ab]$/);
    expect(await stored(session)).toBeNull();
  });

  it('stores what the player would be told then, and keeps it', async () => {
    await publish(harness.pool, configWith(), harness.clock.now());
    const players = [
      await playedOn('regular', [6, 5, 4, 3, 2, 1]),
      await playedOn('absent', [20, 19]),
      await playedOn('payer', [15, 8, 2], 4.99),
      await playedOn('today', [0]),
    ];
    await force(artefact);
    await publishWith();
    const before = [];
    for (const session of players) before.push(await predicted(session));
    expect(before.flat().every((number) => typeof number === 'number')).toBe(true);
    expect(new Set(before.map(([churn]) => churn)).size).toBe(players.length);
    for (const session of players) await isTold(session);
    const now = [];
    for (const session of players) now.push(await stored(session));
    expect(now).toEqual(before);
    // What players do then, another day and another model change nothing of it.
    harness.clock.advance(DAY_MS);
    await force(shiftedChurn(artefact, 1));
    for (const session of players) {
      await isTold(session);
      expect(await predicted(session)).not.toEqual(await stored(session));
    }
    const later = [];
    for (const session of players) later.push(await stored(session));
    expect(later).toEqual(before);
    await force(artefact);
  });

  it('of a first login has the forecast of a player of whom nothing is known, in whatever arm', async () => {
    await force(artefact);
    await publishWith();
    const forecasts = new Map<string | undefined, unknown>();
    for (let n = 0; forecasts.size < 2 && n < 50; n++) {
      const session = await harness.login(`${seed}-new-${n}`);
      const forecast = await stored(session);
      expect(forecast).toEqual(await predicted(session));
      forecasts.set(await isTold(session), forecast);
    }
    expect(forecasts.get('a')).toEqual(forecasts.get('b'));
  });

  it('has the same forecast where the rule reads a prediction, too', async () => {
    await force(artefact);
    await publish(harness.pool, configWith(), harness.clock.now());
    const session = await playedOn('ruled', [4, 2]);
    await publishWith({}, 'predictions.churn.value >= 0 && experiment("x") == "b"');
    const expected = await predicted(session);
    expect(await isTold(session)).toMatch(/^[ab]$/);
    expect(await stored(session)).toEqual(expected);
  });

  it('has none of a prediction that is off or wrong, and none at all of a child', async () => {
    await publish(harness.pool, configWith(), harness.clock.now());
    const [off, wrong, child] = [
      await playedOn('off', [3, 1]),
      await playedOn('wrong', [3, 1]),
      await playedOn('child', [3, 1]),
    ];
    await harness.pool.query("update players set age_group = 'child' where user_id = $1", [child.userId]);
    await publishWith({ off: ['revenue'] });
    expect(await isTold(off)).toMatch(/^[ab]$/);
    expect(await stored(off)).toEqual([expect.any(Number), expect.any(Number), null]);
    expect(await isTold(child)).toMatch(/^[ab]$/);
    expect(await stored(child)).toBeNull();
    await force(artefact, ['activity']);
    expect(await isTold(wrong)).toMatch(/^[ab]$/);
    expect(await stored(wrong)).toEqual([null, expect.any(Number), null]);
    await force(artefact);
  });

  it('is deleted of a player who is said to be a child, and of nobody else', async () => {
    await force(artefact);
    await publish(harness.pool, configWith(), harness.clock.now());
    const [child, teen] = [await playedOn('later', [3, 1]), await playedOn('other', [3, 1])];
    await publishWith();
    for (const [session, ageGroup] of [
      [child, 'child'],
      [teen, 'teen'],
    ] as const) {
      await isTold(session);
      expect(await stored(session)).not.toBeNull();
      expect(await updateAgeGroup(harness.pool, gameId, session.userId, ageGroup, harness.clock.now())).toBe(
        true,
      );
    }
    expect(await stored(child)).toBeNull();
    expect(await stored(teen)).not.toBeNull();
  });

  it('is stored without a forecast where the models cannot be loaded', async () => {
    await publish(harness.pool, configWith(), harness.clock.now());
    const session = await playedOn('lost', [2]);
    await force(artefact);
    await publishWith();
    const { app } = await harness.addNode(withoutRateLimits());
    const { rows } = await harness.pool.query(
      `delete from prediction_states where game_id = $1 and version = (select max(version) from prediction_states where game_id = $1)
       returning *`,
      [gameId],
    );
    expect(rows).toHaveLength(1);
    const response = await get(app, '/v1/player/values', session);
    expect(response.json().experiments).toHaveLength(1);
    expect(await stored(session)).toBeNull();
  });
});
