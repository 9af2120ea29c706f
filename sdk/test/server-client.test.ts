import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addServerKey } from '../../server/test/support/server-calls.js';
import { createServerClient, type ServerClientOptions, signLogin } from '../src/server/index.js';
import { KEY, type RealService, startRealService } from './support/real-service.js';

let service: RealService;
let serverKey: string;
beforeAll(async () => {
  service = await startRealService();
  serverKey = (await addServerKey(service)).secret;
});
afterAll(() => service.close());

const client = (options: Partial<ServerClientOptions> = {}) =>
  createServerClient({ baseUrl: `${service.baseUrl}/`, tenantId: 'demo-studio', serverKey, ...options });
const logIn = async (deviceId: string): Promise<string> => {
  const response = await fetch(`${service.baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(await signLogin({ ...KEY, deviceId })),
  });
  return ((await response.json()) as { userId: string }).userId;
};

describe('the client of a server', () => {
  it('sends events, more than fit into a request, and says which were rejected', async () => {
    const [anna, ben] = [await logIn('anna'), await logIn('ben')];
    const events = Array.from({ length: 700 }, (_, n) => ({
      userId: n % 2 === 0 ? anna : ben,
      eventType: 'Match_End',
      payload: { n },
      eventId: `m-${n}`,
      timestamp: new Date(),
    }));
    const stranger = { userId: randomUUID(), eventType: 'Match_End', payload: {} };
    const sent = await client().sendEvents([...events, stranger]);
    expect(sent).toMatchObject({ accepted: 700, duplicates: 0 });
    expect(sent.rejected).toEqual([
      {
        event: expect.objectContaining(stranger),
        eventType: 'Match_End',
        code: 'player_unknown',
        message: expect.any(String),
      },
    ]);
    expect(await client().sendEvents(events)).toEqual({ accepted: 0, duplicates: 700, rejected: [] });
    expect(await client().sendEvents([stranger])).toMatchObject({
      accepted: 0,
      rejected: [{ code: 'player_unknown' }],
    });
    expect(await client().sendEvents([])).toEqual({ accepted: 0, duplicates: 0, rejected: [] });
  });

  it('sends again what got no response, and it counts once', async () => {
    const userId = await logIn('carla');
    let requests = 0;
    const flaky: typeof fetch = async (...call) => {
      requests++;
      const response = await fetch(...call);
      if (requests === 1) throw new TypeError('the connection was reset');
      return requests === 2
        ? new Response('busy', { status: 503, headers: { 'retry-after': '0' } })
        : response;
    };
    const event = { userId, eventType: 'Match_End', payload: {} };
    expect(await client({ fetch: flaky }).sendEvents([event])).toEqual({
      accepted: 0,
      duplicates: 1,
      rejected: [],
    });
    expect(requests).toBe(3);
    const dead: typeof fetch = () => Promise.reject(new TypeError('no network'));
    await expect(client({ fetch: dead, attempts: 1 }).status(userId)).rejects.toMatchObject({
      code: 'network_failed',
    });
  });

  it('reads what a player is told', async () => {
    const userId = await logIn('dora');
    await client().sendEvents([
      {
        userId,
        eventType: 'Purchase',
        payload: { transactionId: 't', skuId: 'gems_80', price: 1, currency: 'USD' },
      },
    ]);
    expect((await client().status(userId)).isPayer.value).toBe(true);
    expect((await client().store(userId)).activeSkus.length).toBeGreaterThan(0);
    expect((await client().segments(userId)).playerId).toBe(userId);
    expect((await client().predictions(userId)).predictions.churn).toBeDefined();
    await expect(client().status(randomUUID())).rejects.toMatchObject({
      code: 'player_not_found',
      status: 404,
    });
  });

  it('attaches devices and sets the age group', async () => {
    const userId = await logIn('old/phone');
    await client().attachDevice('new/phone', userId);
    expect(await client().findPlayer('new/phone')).toBe(userId);
    expect(await logIn('new/phone')).toBe(userId);
    await client().detachDevice('new/phone');
    expect(await client().findPlayer('new/phone')).toBeUndefined();
    await client().setAgeGroup(userId, 'teen');
    await expect(client({ serverKey: 'sps_wrong' }).status(userId)).rejects.toMatchObject({
      code: 'token_invalid',
    });
  });
});
