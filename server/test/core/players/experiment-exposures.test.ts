import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { configWith, experiment, value } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { get, publish, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addServerKey, call } from '../../support/server-calls.js';

/** Which arm players are told, and what is stored of it. */

type Arm = { experimentId: string; variantId: string };
type Row = Arm & { seed: string; exposedAt: Date; activatedAt: Date | null };

let harness: Harness;
let admin: AdminClient;
let other: FastifyInstance;
let nodes: FastifyInstance[];
let seeds = 0;
/** Of each test, so that what other tests stored does not count. */
let seed: string;

beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
  other = (await harness.addNode()).app;
  nodes = [harness.app, other];
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});
beforeEach(() => {
  seed = `seed-${++seeds}`;
});

const documentWith = (change: Partial<ExperimentEntry> = {}) =>
  configWith({
    experiments: [experiment('x', { seed, ...change })],
    values: [value('jump', { rules: [{ when: 'experiment("x") == "b"', sharePercent: 100, value: 2 }] })],
  });
const publishWith = (change: Partial<ExperimentEntry> = {}) =>
  publish(harness.pool, documentWith(change), harness.clock.now());
const told = async (session: Session, node = harness.app): Promise<Arm[]> => {
  const response = await get(node, '/v1/player/values', session);
  const { values, experiments } = response.json<{ values: { jump: number }; experiments: Arm[] }>();
  // What is told is what the value follows from.
  expect(values.jump).toBe(experiments[0]?.variantId === 'b' ? 2 : 1);
  return experiments;
};
const storedOf = async ({ userId }: Pick<Session, 'userId'>): Promise<Row[]> => {
  const { rows } = await harness.pool.query<Row>(
    `select e.experiment_id as "experimentId", e.variant_id as "variantId", e.seed,
       to_timestamp(extract(epoch from e.exposed_at)) as "exposedAt", e.activated_at as "activatedAt"
     from experiment_exposures e join players p on p.id = e.player_id
     where p.user_id = $1 and e.seed = $2`,
    [userId, seed],
  );
  return rows;
};
const armsOf = async (session: Session): Promise<Arm[]> =>
  (await storedOf(session)).map(({ experimentId, variantId }) => ({ experimentId, variantId }));
const explained = ({ userId }: Session, more: object = {}) =>
  admin.ask<Explanation>('POST', `${GAME}/explain`, { playerId: userId, ...more });
const armAt = async (session: Session, atMs?: number) => {
  const more = atMs === undefined ? {} : { at: new Date(atMs).toISOString() };
  return (await explained(session, more)).trace.experiments[0];
};
const play = async (session: Session, eventType: string, atMs: number) => {
  const event = { eventType, timestamp: new Date(atMs).toISOString(), payload: {}, metadata: {} };
  const response = await postEvents(harness.app, session, [event]);
  expect(response.statusCode, response.body).toBe(202);
};

describe('an arm that a response depends on', () => {
  it('is stored once, as it was told, whichever nodes tell it at the same time', async () => {
    await publishWith();
    const sessions = await Promise.all(
      Array.from({ length: 12 }, (_, n) => harness.login(`${seed}-${n}`, nodes[n % 2])),
    );
    // The login carries values, so it has stored the arm.
    for (const session of sessions) expect(await armsOf(session)).toHaveLength(1);
    const answers = await Promise.all(
      sessions.flatMap((session) =>
        nodes.map(async (node) => ({ session, arms: await told(session, node) })),
      ),
    );
    for (const { session, arms } of answers) expect(await armsOf(session)).toEqual(arms);
  });

  it('is the stored one in every response, also if another node stores it after this one has decided', async () => {
    const session = await harness.login(`${seed}-late`);
    await publishWith();
    const drawn = (await armAt(session))?.variantId;
    const variantId = drawn === 'a' ? 'b' : 'a';
    const client = await harness.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into experiment_exposures (player_id, experiment_id, seed, variant_id, exposed_at, game_id)
         select id, 'x', $2, $3, now(), game_id from players where user_id = $1`,
        [session.userId, seed, variantId],
      );
      const asking = [told(session), told(session), told(session, other)];
      await vi.waitFor(
        async () => {
          const { rowCount } = await harness.pool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          expect(rowCount).toBe(2);
        },
        { timeout: 60_000 },
      );
      await client.query('commit');
      for (const arms of await Promise.all(asking)) expect(arms).toEqual([{ experimentId: 'x', variantId }]);
    } finally {
      client.release(true);
    }
    for (const node of nodes) expect(await told(session, node)).toEqual([{ experimentId: 'x', variantId }]);
    expect(await armsOf(session)).toEqual([{ experimentId: 'x', variantId }]);
  });

  it('stays when coverage and who may enter change; weights cannot', async () => {
    await publishWith();
    const session = await harness.login(`${seed}-old`);
    const [arm] = await armsOf(session);
    await publishWith({ coveragePercent: 0, when: 'country == "XX"' });
    for (const node of nodes) expect(await told(session, node)).toEqual([arm]);
    const late = await harness.login(`${seed}-late`);
    expect(await told(late)).toEqual([]);
    expect(await storedOf(late)).toEqual([]);

    const variants = experiment('x').variants.map((variant, n) => ({ ...variant, weight: n + 1 }));
    await expect(publishWith({ variants })).rejects.toThrow('experiments_exposed');
    await publishWith({ variants, state: 'stopped' });
    expect(await told(session)).toEqual([]);
    // Nor by a way round: as it last ran counts.
    await expect(publishWith({ variants })).rejects.toThrow('experiments_exposed');
    await publishWith();
    expect(await told(session)).toEqual([arm]);
  });

  it('is told and stored again with the next response, if it could not be stored', async () => {
    await publishWith();
    await harness.pool.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse before insert on experiment_exposures for each row execute function refuse()`,
    );
    const session = await harness.login(`${seed}-unlucky`);
    const arms = await told(session);
    expect(arms).toHaveLength(1);
    expect(await storedOf(session)).toEqual([]);
    await harness.pool.query('drop function refuse cascade');
    expect(await told(session)).toEqual(arms);
    expect(await armsOf(session)).toEqual(arms);
  });

  it('is stored where a server of the studio reads it, and not where an explanation or a dry run does', async () => {
    const session = await harness.login(`${seed}-explained`);
    await publishWith();
    const { variantId = '' } = (await armAt(session)) ?? {};
    expect(variantId).toMatch(/^[ab]$/);
    const dry = await admin.call('POST', `${GAME}/dry-run`, {
      document: documentWith({ coveragePercent: 1 }),
    });
    expect(dry.statusCode, dry.body).toBe(200);
    expect(await storedOf(session)).toEqual([]);

    const key = await addServerKey(harness);
    const read = await call(harness.app, {
      headers: key.headers,
      url: `/v1/server/players/${session.userId}/values`,
    });
    expect(read.json()).toMatchObject({ experiments: [{ experimentId: 'x', variantId }] });
    expect(await armsOf(session)).toEqual([{ experimentId: 'x', variantId }]);
  });

  it('is not stored where it is pinned for a test device', async () => {
    await publishWith({ coveragePercent: 0 });
    const session = await harness.login(`${seed}-pinned`);
    const path = `${GAME}/players/${session.userId}/pins/variant/x`;
    const wrong = await admin.call('PUT', path, { value: 'c', reason: 'test' });
    expect(wrong.body).toContain('must be a variant: a or b');
    await admin.ask('PUT', path, { value: 'b', reason: 'test' });
    for (const node of nodes)
      expect(await told(session, node)).toEqual([{ experimentId: 'x', variantId: 'b' }]);
    expect(await storedOf(session)).toEqual([]);
    const { because } = await explained(session);
    expect(because.experiments[0]).toMatch(/^Variant b of experiment x: pinned by .+ because “test”, since /);
  });

  it('is explained as it was: by the bucket before the exposure, as stored after it', async () => {
    const session = await harness.login(`${seed}-past`);
    harness.clock.advance(60_000);
    await publishWith();
    await told(session);
    const exposedAt = harness.clock.now();
    harness.clock.advance(60_000);
    // A document under which nobody new gets in.
    await publishWith({ coveragePercent: 0 });
    const [arm] = await armsOf(session);
    expect(await armAt(session)).toMatchObject({ ...arm, because: 'stored' });
    expect(await armAt(session, exposedAt + 1000)).toMatchObject({
      ...arm,
      because: 'stored',
      exposedAt: new Date(exposedAt).toISOString(),
    });
    const { because } = await explained(session);
    expect(because.experiments).toEqual([
      `Variant ${arm?.variantId} of experiment x: stored with the first exposure at ${new Date(exposedAt).toISOString()}.`,
    ]);
    const before = await explained(session, {
      at: new Date(exposedAt - 1).toISOString(),
      document: documentWith(),
    });
    expect(before.trace.experiments).toMatchObject([{ ...arm, because: 'bucket', exposedAt: null }]);
  });
});

describe('an activation', () => {
  it('is the earliest event of its type after the exposure, in whatever order events arrive', async () => {
    await publishWith({ activation: { eventType: 'Store_View' } });
    const session = await harness.login(`${seed}-active`);
    const exposedAt = harness.clock.now();
    const activatedAt = async () => (await storedOf(session))[0]?.activatedAt?.valueOf() ?? null;
    harness.clock.advance(60_000);
    await play(session, 'Store_View', exposedAt - 1000);
    await play(session, 'Level_Complete', exposedAt + 1000);
    expect(await activatedAt()).toBeNull();
    await play(session, 'Store_View', exposedAt + 9000);
    expect(await activatedAt()).toBe(exposedAt + 9000);
    await play(session, 'Store_View', exposedAt + 5000);
    await play(session, 'Store_View', exposedAt + 20_000);
    expect(await activatedAt()).toBe(exposedAt + 5000);
  });
});

describe('a game in which no experiment runs', () => {
  it('reads and stores nothing about them', async () => {
    await publishWith({ state: 'planned' });
    const session = await harness.login(`${seed}-none`);
    expect(await told(session)).toEqual([]);
    const { rows } = await harness.pool.query('select from games where running_experiments is not null');
    expect(rows).toEqual([]);
    expect(await storedOf(session)).toEqual([]);
  });
});
