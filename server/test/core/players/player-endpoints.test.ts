import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { gameDocument, get, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

describe('what a player is told', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('shapes');
  });
  afterAll(() => harness.close());

  const read = async (path: string, who = session) => {
    const response = await get(harness.app, path, who);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    return response.json();
  };

  it('GET /v1/player/status is the PlayerStatus itself', async () => {
    expect(await read('/v1/player/status')).toEqual({
      isPayer: { value: false, defaultValue: false, expiredAt: null },
    });
  });

  it('GET /v1/player/store_configs is the StoreConfig itself, with every member of the specification', async () => {
    const store = await read('/v1/player/store_configs');
    expect(Object.keys(store).sort()).toEqual([
      'activeSkus',
      'fallbackConfig',
      'lastUpdatedTimestamp',
      'userSpecificPromoId',
    ]);
    // The demo studio was published when the template of the database was made.
    expect(store.lastUpdatedTimestamp).toBe(inject('partitionsMadeAtMs'));
    expect(store.userSpecificPromoId).toBeNull();
    expect(store.activeSkus.length).toBeGreaterThan(0);
    for (const sku of store.activeSkus) {
      expect(sku).toEqual({
        skuId: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
        actualPrice: expect.any(Number),
        offerPrice: expect.any(Number),
        currency: expect.stringMatching(/^[A-Z]{3}$/),
        assets: expect.any(Array),
        active: true,
      });
      for (const asset of sku.assets) {
        expect(asset).toEqual(
          expect.objectContaining({
            assetId: expect.any(String),
            type: expect.any(String),
            url: expect.any(String),
          }),
        );
      }
    }
  });

  it('the login response carries the very same status and store', async () => {
    expect(session.body.playerConfig).toEqual({
      playerStatus: await read('/v1/player/status'),
      storeConfig: await read('/v1/player/store_configs'),
    });
  });

  it('GET /v1/player/segments lists the segments of this moment', async () => {
    expect(await read('/v1/player/segments')).toEqual({
      playerId: session.userId,
      asOf: new Date(harness.clock.now()).toISOString(),
      segments: [
        { segmentId: 'new_player', name: 'New player', version: 1 },
        { segmentId: 'non_payer', name: 'Non-payer', version: 1 },
      ],
    });
  });

  it('segments follow an event with the next request', async () => {
    const buyer = await harness.login('buyer');
    const timestamp = new Date(harness.clock.now()).toISOString();
    await postEvents(harness.app, buyer, [
      { eventType: 'Purchase', timestamp, payload: { transactionId: 'segments-1' } },
    ]);
    const { segments } = await read('/v1/player/segments', buyer);
    expect(segments.map(({ segmentId }: { segmentId: string }) => segmentId)).toEqual([
      'new_player',
      'payer',
    ]);
  });

  it('a game that never published anything has an empty store and no payers', async () => {
    const studio = await addStudio(harness, 'quiet-studio', 'quiet-game');
    const player = await studio.login('device');
    expect(await read('/v1/player/store_configs', player)).toEqual({
      activeSkus: [],
      lastUpdatedTimestamp: 0,
      userSpecificPromoId: null,
      fallbackConfig: null,
    });
    expect((await read('/v1/player/status', player)).isPayer.value).toBe(false);
  });

  it('another game does not see what this one publishes', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const player = await studio.login('device');
    await publish(harness.pool, gameDocument([]), harness.clock.now());
    expect((await read('/v1/player/store_configs', player)).lastUpdatedTimestamp).toBe(0);
  });

  it('GET /v1/limits needs no token', async () => {
    const response = await harness.app.inject('/v1/limits');
    expect(response.statusCode).toBe(200);
    expect(response.json().events).toMatchObject({
      maxEvents: 500,
      maxBodyBytes: 1_048_576,
      maxEventBytes: 32_768,
      maxDepth: 16,
    });
  });
});
