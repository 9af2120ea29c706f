import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { runBackFill } from '../../../src/liveops/own-attributes/back-fill-runner.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

const DOCUMENT = {
  ...DEFAULT_DOCUMENT,
  segments: [
    { segmentId: 'high', name: 'High', rule: 'own.level >= 10', visibleToClients: true, priority: 0 },
    { segmentId: 'low', name: 'Low', rule: '!segment("high")', visibleToClients: true, priority: 0 },
  ],
  attributes: [
    {
      attributeId: 'level',
      description: '',
      eventType: 'Level_Up',
      member: 'payload.level',
      fold: 'last' as const,
      type: 'integer' as const,
    },
  ],
};

describe('a game with own attributes', () => {
  let harness: Harness;
  let admin: AdminClient;
  beforeAll(async () => {
    harness = await createHarness();
    admin = await openAdminClient(harness);
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  const reach = async (session: Session, level: number, node = harness.app) => {
    const timestamp = new Date(harness.clock.now()).toISOString();
    const sent = await postEvents(node, session, [{ eventType: 'Level_Up', timestamp, payload: { level } }]);
    expect(sent.statusCode, sent.body).toBe(202);
    harness.clock.advance(1_000);
  };
  const segmentsOf = async (session: Session): Promise<string[]> => {
    const response = await get(harness.app, '/v1/player/segments', session);
    return (response.json() as { segments: { segmentId: string }[] }).segments.map((each) => each.segmentId);
  };
  const state = () => admin.ask('GET', `${GAME}/own-attributes`);

  it('tells how far they are worked out, and answers by them when they are', async () => {
    const known = await harness.login('known');
    await reach(known, 12);
    expect(await state()).toMatchObject({ state: 'none', attributes: [], bytes: 0 });
    await publish(harness.pool, DOCUMENT, harness.clock.now());
    expect(await state()).toMatchObject({ state: 'working', playersDone: 0, bytes: 42, finishedAt: null });
    expect(await segmentsOf(known)).toEqual([]);

    // A player without events has nothing to work out, and the first event counts, on any node.
    const fresh = await harness.login('fresh');
    expect(await segmentsOf(fresh)).toEqual(['low']);
    const other = await harness.addNode();
    await reach(fresh, 30, other.app);
    expect(await segmentsOf(fresh)).toEqual(['high']);

    await runBackFill(harness.pool, { clock: harness.clock });
    expect(await state()).toMatchObject({ state: 'ready', players: 2, playersDone: 2 });
    expect(await segmentsOf(known)).toEqual(['high']);
    await reach(known, 3, other.app);
    expect(await segmentsOf(known)).toEqual(['low']);
  });

  it('moves the time of the last update when the back-fill reaches a player, and never back', async () => {
    const offers = [offer('sale', { when: 'own.level >= 10' })];
    const attributes = DOCUMENT.attributes.map((attribute) => ({ ...attribute, fold: 'max' as const }));
    const document = { ...gameDocument([sku('gems')], { offers }), attributes };
    const session = await harness.login('reached');
    const firstEventAt = harness.clock.now();
    await reach(session, 12);
    const storeOf = async () => {
      const response = await get(harness.app, '/v1/player/store_configs', session);
      const { lastUpdatedTimestamp } = response.json<{ lastUpdatedTimestamp: number }>();
      return { lastUpdatedTimestamp, etag: response.headers.etag };
    };
    const publishedAt = harness.clock.now();
    await publish(harness.pool, document, publishedAt);
    harness.clock.advance(1_000);
    const waiting = await storeOf();
    expect(waiting.lastUpdatedTimestamp).toBe(publishedAt);

    harness.clock.advance(1_000);
    const reachedAt = harness.clock.now();
    await runBackFill(harness.pool, { clock: harness.clock });
    harness.clock.advance(1_000);
    const reached = await storeOf();
    expect(reached.lastUpdatedTimestamp).toBe(reachedAt);
    expect(reached.etag).not.toBe(waiting.etag);

    // A late event is folded into the state, which keeps the time.
    const timestamp = new Date(firstEventAt).toISOString();
    await postEvents(harness.app, session, [{ eventType: 'Level_Up', timestamp, payload: { level: 40 } }]);
    expect((await storeOf()).lastUpdatedTimestamp).toBe(reachedAt);
  });
});
