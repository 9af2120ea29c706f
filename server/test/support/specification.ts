import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Module } from '../../src/studio/module-type.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  type Session,
  signedLogin,
} from './harness.js';

type Row = [name: string, isOfType: (value: unknown) => boolean];
const text = (value: unknown) => typeof value === 'string' && value !== '';
const number = (value: unknown) => typeof value === 'number';
const integer = (value: unknown) => Number.isInteger(value);
const boolean = (value: unknown) => typeof value === 'boolean';
const object = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: unknown) => value === null || text(value);

/** Each row of the specification's tables, by its name, for a service of these modules. The details are tested elsewhere. */
export function describeSpecification(modules: readonly Module[]): void {
  let harness: Harness;
  let session: Session;
  let status: Record<string, unknown>;
  let store: Record<string, unknown>;
  beforeAll(async () => {
    harness = await createHarness({ modules });
    session = await harness.login('specification');
    const get = async (path: string) =>
      (await harness.app.inject({ url: path, headers: session.headers })).json();
    status = await get('/v1/player/status');
    store = await get('/v1/player/store_configs');
  });
  afterAll(() => harness.close());

  describe('Login request', () => {
    test.each(['apiKey', 'deviceId', 'timestamp', 'signature'])('%s: string, required', async (field) => {
      const body: Record<string, unknown> = signedLogin({ deviceId: 'd', nowMs: harness.clock.now() });
      expect((await postLogin(harness.app, body)).statusCode).toBe(200);
      expect((await postLogin(harness.app, { ...body, [field]: undefined })).statusCode).toBe(400);
      expect((await postLogin(harness.app, { ...body, [field]: 1 })).statusCode).toBe(400);
    });
  });

  describe('Login response', () => {
    test.each<Row>([
      ['accessToken', text],
      ['refreshToken', text],
      ['tokenType', (value) => value === 'Bearer'],
      ['expiresIn', number],
      ['userId', text],
      ['deviceId', (value) => value === 'specification'],
      ['gameId', (value) => value === 'demo-game'],
      ['tenantId', (value) => value === 'demo-studio'],
      ['playerConfig', object],
    ])('%s', (name, isOfType) => expect(session.body[name]).toSatisfy(isOfType));
  });

  describe('PlayerConfig', () => {
    test('playerStatus', () => expect(session.body.playerConfig).toMatchObject({ playerStatus: status }));
    test('storeConfig', () => expect(session.body.playerConfig).toMatchObject({ storeConfig: store }));
  });

  describe('PlayerStatus', () => {
    const flag = () => status.isPayer as Record<string, unknown>;
    test('isPayer, at the top level', () => expect(flag()).toSatisfy(object));
    test.each<Row>([
      ['value', boolean],
      ['defaultValue', boolean],
      ['expiredAt', textOrNull],
    ])('isPayer.%s', (name, isOfType) => expect(flag()[name]).toSatisfy(isOfType));
  });

  describe('StoreConfig', () => {
    test.each<Row>([
      ['activeSkus', Array.isArray],
      ['lastUpdatedTimestamp', integer],
      ['userSpecificPromoId', textOrNull],
      ['fallbackConfig', (value) => value === null || object(value)],
    ])('%s', (name, isOfType) => expect(store[name]).toSatisfy(isOfType));
  });

  describe('Sku', () => {
    test.each<Row>([
      ['skuId', text],
      ['name', text],
      ['description', text],
      ['actualPrice', number],
      ['offerPrice', number],
      ['currency', text],
      ['assets', Array.isArray],
      ['active', (value) => value === true],
    ])('%s', (name, isOfType) => {
      const skus = store.activeSkus as Record<string, unknown>[];
      expect(skus.length).toBeGreaterThan(0);
      for (const sku of skus) expect(sku[name]).toSatisfy(isOfType);
    });
  });

  describe('Event', () => {
    const send = async (event: unknown) => (await postEvents(harness.app, session, [event])).statusCode;
    let n = 0;
    const event = () => adImpression(n++, harness.clock.now());

    test('eventType, timestamp, payload, metadata: an Ad_Impression is taken', async () => {
      expect(await send(event())).toBe(202);
    });
    test.each(['eventType', 'timestamp', 'payload'])('%s is required', async (name) => {
      expect(await send({ ...event(), [name]: undefined })).toBe(400);
    });
    test.each(['userId', 'sessionId', 'adId', 'campaignId'])('payload.%s is a string', async (name) => {
      const whole = event();
      expect(await send({ ...whole, payload: { ...whole.payload, [name]: 1 } })).toBe(400);
    });
    test.each(['deviceType', 'osName', 'osVersion'])('metadata.%s is a string', async (name) => {
      const whole = event();
      expect(await send({ ...whole, metadata: { ...whole.metadata, [name]: 1 } })).toBe(400);
    });
  });

  describe('Errors and Limits', () => {
    test('401 Unauthorized: invalid signature', async () => {
      const body = signedLogin({ deviceId: 'd', nowMs: harness.clock.now(), secret: 'wrong' });
      const response = await postLogin(harness.app, body);
      expect(response.statusCode).toBe(401);
      expect(response.json().error).toMatch(/invalid authentication credentials/i);
    });
    test('400 Bad Request: timestamp outside of ±5 minutes', async () => {
      const at = (seconds: number) =>
        postLogin(harness.app, signedLogin({ deviceId: 'd', nowMs: harness.clock.now() + seconds * 1000 }));
      for (const seconds of [-302, 302]) {
        const response = await at(seconds);
        expect(response.statusCode).toBe(400);
        expect(response.json().error).toMatch(/request timestamp is outside the acceptable time window/i);
      }
      expect((await at(-298)).statusCode).toBe(200);
    });
    test('401 Unauthorized: expired token, expiresIn seconds after login', async () => {
      const { headers, body } = await harness.login('expiring');
      harness.clock.advance(Number(body.expiresIn) * 1000 + 1000);
      const response = await harness.app.inject({ url: '/v1/player/status', headers });
      expect(response.statusCode).toBe(401);
      expect(response.json().error).toMatch(/invalid authentication credentials/i);
    });
  });
}
