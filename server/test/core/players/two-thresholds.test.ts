import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSegmentStays } from '../../../src/core/players/segment-stays.js';
import { storeStays } from '../../../src/core/players/stay-queries.js';
import type { Artefact, ModelName } from '../../../src/decide/predict/artefact.js';
import { logOddsOf } from '../../../src/decide/predict/logistic.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { putInForce, shiftedChurn, trainedArtefact } from '../../support/prediction-models.js';
import { addStudio } from '../../support/session-calls.js';

/** A segment with two thresholds, from the publication to what is stored, told, explained and dry-run. */

const thresholds = { prediction: 'churn' as const, enterAbove: 0.7, leaveBelow: 0.5 };
const leaving = {
  segmentId: 'leaving',
  name: 'Leaving',
  rule: 'eventCount.total > 0',
  thresholds,
  visibleToClients: true,
  priority: 0,
};
const gems = sku('gems', { actualPrice: '10', offerPrice: '10' });
const documentOf = (segment: typeof leaving) =>
  gameDocument([gems], {
    segments: [segment],
    offers: [
      offer('stay', {
        when: 'segment("leaving")',
        effect: { price: { discountPercent: '50' }, promoId: 'stay' },
      }),
    ],
  });

let harness: Harness;
let admin: AdminClient;
let gameId: number;
let artefact: Artefact;
let player: Session;
/** What the first model says of the player. */
let usual: number;

beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 30 * 86_400 } });
  admin = await openAdminClient(harness);
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  gameId = rows[0]?.id ?? 0;
  harness.clock.set(Math.floor(harness.clock.now() / DAY_MS) * DAY_MS + DAY_MS / 4);
  player = await playedOn('player');
  artefact = trainedArtefact();
  await publish(harness.pool, documentOf(leaving), harness.clock.now());
  // Before the first decision, the model has to be known: it would be stored what it says.
  await putInForce(harness.pool, gameId, artefact, harness.clock.now());
  usual = (await explain({ playerId: player.userId })).predictions.predictions.churn.value;
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** Of equal players, a model says the same. */
async function playedOn(device: string): Promise<Session> {
  const session = await harness.login(device);
  const events = [20, 19].map((ago) => ({
    eventType: 'Session_Start',
    timestamp: new Date(harness.clock.now() - ago * DAY_MS).toISOString(),
    payload: { sessionId: `s${ago}` },
  }));
  expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
  return session;
}

const explain = (question: object) => admin.ask<Explanation>('POST', `${GAME}/explain`, question);

/** Puts a model in force that says this of the players, a minute later; gives the moment. */
async function say(churn: number, distrusted: ModelName[] = []): Promise<number> {
  harness.clock.advance(60_000);
  const shifted = shiftedChurn(artefact, logOddsOf(churn) - logOddsOf(usual));
  await putInForce(harness.pool, gameId, shifted, harness.clock.now(), distrusted);
  return harness.clock.now();
}

const isIn = async (session: Session, app = harness.app) => {
  const store = await get(app, '/v1/player/store_configs', session);
  const segments = (await get(app, '/v1/player/segments', session)).json().segments.length === 1;
  expect(store.json().activeSkus[0].offerPrice, store.body).toBe(segments ? 5 : 10);
  return segments;
};

async function staysOf({ userId }: Session) {
  const { rows } = await harness.pool.query(
    `select thresholds, entered_at as "enteredAt", entered_value as "enteredValue", left_at as "leftAt",
       left_value as "leftValue"
     from segment_stays s join players p on p.id = s.player_id where p.user_id = $1 order by entered_at`,
    [userId],
  );
  return rows;
}

const dryRun = async (segment: typeof leaving) => {
  const response = await admin.call('POST', `${GAME}/dry-run`, { document: documentOf(segment) });
  const { result } = JSON.parse(response.body.trim().split('\n').at(-1) ?? '');
  return result.segments.find(({ segmentId }: { segmentId: string }) => segmentId === 'leaving').counts;
};

describe('a player at the edge', () => {
  const moments: Record<string, number> = {};

  it('is outside between the thresholds, and nothing is stored', async () => {
    moments.before = await say(0.6);
    expect(await isIn(player)).toBe(false);
    expect(await staysOf(player)).toEqual([]);
  });

  it('enters above the upper one: on every node, and stored once', async () => {
    const enteredAt = await say(0.8);
    const { app } = await harness.addNode(withoutRateLimits());
    const asked = Array.from({ length: 6 }, (_, n) => isIn(player, n % 2 === 0 ? app : harness.app));
    expect(await Promise.all(asked)).toEqual(asked.map(() => true));
    expect(await staysOf(player)).toEqual([
      { thresholds: 'churn > 0.7, < 0.5', enteredAt, enteredValue: 0.8, leftAt: null, leftValue: null },
    ]);
  });

  it('stays inside between the thresholds, also for a node that has not seen it before', async () => {
    moments.between = await say(0.6);
    const { rows: before } = await harness.pool.query('select xmin from players where user_id = $1', [
      player.userId,
    ]);
    expect(await isIn(player)).toBe(true);
    const { app } = await harness.addNode(withoutRateLimits());
    expect(await isIn(player, app)).toBe(true);
    // Reading writes nothing while nothing changes.
    const { rows: after } = await harness.pool.query('select xmin from players where user_id = $1', [
      player.userId,
    ]);
    expect(after).toEqual(before);
  });

  it('is counted as inside by a dry run, and as outside under other thresholds', async () => {
    const other = await playedOn('other');
    expect(await isIn(other)).toBe(false);
    expect(await dryRun({ ...leaving, rule: 'true' })).toMatchObject({ before: 1, after: 1, stay: 1 });
    expect(await dryRun({ ...leaving, thresholds: { ...thresholds, leaveBelow: 0.4 } })).toMatchObject({
      before: 1,
      after: 0,
      leave: 1,
    });
  });

  it('is nowhere while the model is not trusted, and inside again when it is', async () => {
    await say(0.6, ['activity']);
    expect(await isIn(player)).toBe(false);
    await say(0.6);
    expect(await isIn(player)).toBe(true);
    expect(await staysOf(player)).toHaveLength(1);
  });

  it('leaves below the lower one, and does not come back between the thresholds', async () => {
    moments.left = await say(0.4);
    expect(await isIn(player)).toBe(false);
    expect(await staysOf(player)).toMatchObject([{ leftAt: moments.left, leftValue: 0.4 }]);
    await say(0.6);
    expect(await isIn(player)).toBe(false);
  });

  it('is explained, now and for every moment', async () => {
    harness.clock.advance(60_000);
    const at = (moment: number | undefined) =>
      explain({ playerId: player.userId, at: new Date(moment ?? 0).toISOString() });
    const inside = async (moment: number | undefined) => (await at(moment)).decision.segments.length;
    expect([await inside(moments.before), await inside(moments.between), await inside(moments.left)]).toEqual(
      [0, 1, 0],
    );
    const between = await at(moments.between);
    expect(between.source).toBe('stored events');
    expect(between.because.segments[0]).toMatch(
      /^In segment leaving, entered at \d{4}-.+Z with 0\.8: \(eventCount\.total > 0\) && predictions\.churn\.state == "ready" && predictions\.churn\.value >= 0\.5 is true \(.*predictions\.churn\.value = 0\.6\)\.$/,
    );
    expect(between.facts.stays).toEqual([
      { segmentId: 'leaving', thresholds: 'churn > 0.7, < 0.5', enteredAt: expect.any(String), value: 0.8 },
    ]);
    const now = await explain({ playerId: player.userId });
    expect(now.because.segments[0]).toMatch(
      /^Not in segment leaving: .*predictions\.churn\.value > 0\.7 is false/,
    );
    // What was shown can be changed and sent back.
    const hypothetical = await explain({ hypothetical: { ...now.facts, stays: between.facts.stays } });
    expect(hypothetical.decision.segments).toHaveLength(1);
  });
});

describe('other thresholds', () => {
  it('begin anew, and end the stay by the former ones', async () => {
    const moved = await playedOn('moved');
    await say(0.8);
    expect(await isIn(moved)).toBe(true);
    harness.clock.advance(60_000);
    await publish(
      harness.pool,
      documentOf({ ...leaving, thresholds: { ...thresholds, enterAbove: 0.75 } }),
      harness.clock.now(),
    );
    expect(await isIn(moved)).toBe(true);
    expect(await staysOf(moved)).toMatchObject([
      { thresholds: 'churn > 0.7, < 0.5', leftAt: harness.clock.now(), leftValue: null },
      { thresholds: 'churn > 0.75, < 0.5', leftAt: null },
    ]);
    await publish(harness.pool, documentOf(leaving), harness.clock.now());
  });
});

describe('what cannot be stored', () => {
  it('does not keep the player from being told', async () => {
    const closed = createPool({
      url: 'postgres://localhost:1/none',
      size: 1,
      timeoutMs: 1_000,
      onError: () => {},
    });
    await closed.end();
    const stays = createSegmentStays(closed, pino({ level: 'silent' }));
    const changes = [{ segmentId: 'leaving', thresholds: '', isInside: true, value: 1 }];
    await expect(stays.store({ playerId: '1', atMs: 0, changes })).resolves.toBe(false);
  });

  it('has no effect when it is of a player who does not exist', async () => {
    const changes = [{ segmentId: 'leaving', thresholds: '', isInside: true, value: 1 }];
    await storeStays(harness.pool, [{ playerId: '999999999', atMs: 0, changes }]);
    const { rows } = await harness.pool.query('select from segment_stays where player_id = 999999999');
    expect(rows).toEqual([]);
  });
});

describe('a player of another studio', () => {
  it('is not in a segment because one of the same device is', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const session = await studio.login('player');
    expect((await get(harness.app, '/v1/player/segments', session)).body).not.toContain('leaving');
    expect(await staysOf(session)).toEqual([]);
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    const foreign = await admin.call('POST', '/games/other-game/explain', { playerId: player.userId }, token);
    expect(foreign.statusCode).toBe(404);
  });
});
