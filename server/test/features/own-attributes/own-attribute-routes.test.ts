import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBackFill } from '../../../src/features/own-attributes/back-fill-runner.js';
import { DEFAULT_DOCUMENT } from '../../../src/personalisation/document/default-document.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { get, publish } from '../../support/data-calls.js';
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

    await runBackFill(harness.pool);
    expect(await state()).toMatchObject({ state: 'ready', players: 2, playersDone: 2 });
    expect(await segmentsOf(known)).toEqual(['high']);
    await reach(known, 3, other.app);
    expect(await segmentsOf(known)).toEqual(['low']);
  });
});
