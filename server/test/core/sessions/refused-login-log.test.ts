import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { revokeApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import {
  createHarness,
  type Harness,
  type LoginBody,
  postLogin,
  signedLogin,
  testActor,
} from '../../support/harness.js';
import { addStudio, type Studio } from '../../support/session-calls.js';

type Line = { level: number; msg: string; requestId?: string; keyId?: string };
let lines: Line[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

let harness: Harness;
let studio: Studio;
beforeAll(async () => {
  harness = await createHarness({ logger });
  studio = await addStudio(harness, 'studio', 'game', 'production');
});
afterAll(() => harness.close());
beforeEach(() => {
  lines = [];
});

const good = () => signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now() });
const resigned = (body: LoginBody, text: string, secret: string = DEMO.secret): LoginBody => ({
  ...body,
  signature: createHmac('sha256', secret).update(text).digest('base64'),
});
const hints = () => lines.filter(({ msg }) => msg.startsWith('a login was refused'));

/** The hint comes after the response. */
async function hintFor(body: LoginBody): Promise<Line> {
  const response = await postLogin(harness.app, body);
  expect(response.statusCode).toBe(401);
  expect(response.json()).toEqual({
    error: 'Invalid authentication credentials.',
    code: 'credentials_invalid',
  });
  await vi.waitUntil(() => hints().length === 1, { timeout: 60_000 });
  const [hint] = hints();
  expect(hint?.requestId).toBe(response.headers['x-request-id']);
  return hint as Line;
}

test.each<[string, (body: LoginBody) => LoginBody]>([
  [
    'in hexadecimal',
    (body) => ({ ...body, signature: Buffer.from(body.signature, 'base64').toString('hex') }),
  ],
  [
    'over deviceId|apiKey|timestamp',
    (body) => resigned(body, `${body.deviceId}|${body.apiKey}|${body.timestamp}`),
  ],
  [
    'keyed with the secret and a line break after it',
    (body) => resigned(body, `${body.apiKey}|${body.deviceId}|${body.timestamp}`, `${DEMO.secret}\n`),
  ],
])('in development the log says that a signature looks like one %s', async (looks, change) => {
  const body = good();
  const { msg, keyId, level } = await hintFor(change(body));
  expect(msg).toBe(
    `a login was refused: the signature looks like one ${looks}. Expected is the Base64 (standard alphabet, with padding) of HMAC-SHA256 over apiKey|deviceId|timestamp, as sent, keyed with the secret.`,
  );
  expect(keyId).toBe(DEMO.keyId);
  expect(level).toBe(40);
  const text = JSON.stringify(lines);
  for (const secret of [DEMO.secret, body.signature, Buffer.from(body.signature, 'base64').toString('hex')]) {
    expect(text).not.toContain(secret);
  }
});

test('a signature that looks like nothing is wrong', async () => {
  const { msg } = await hintFor(resigned(good(), 'anything'));
  expect(msg).toMatch(/^a login was refused: the signature is wrong\. Expected is /);
});

test('an id that no key has is not repeated: it may be the secret', async () => {
  const { msg, keyId } = await hintFor({ ...good(), apiKey: DEMO.secret });
  expect(msg).toBe('a login was refused: no API key has the id that was sent');
  expect(keyId).toBeUndefined();
  expect(JSON.stringify(lines)).not.toContain(DEMO.secret);
});

test('a revoked key is told from a wrong signature', async () => {
  const { keyId, secret } = await addStudio(harness, 'studio', 'other-game');
  await revokeApiKey(harness.pool, keyId, { endSessions: false }, testActor(harness.clock.now()));
  const body = signedLogin({ deviceId: 'd', nowMs: harness.clock.now(), apiKey: keyId, secret });
  expect((await hintFor(body)).msg).toBe('a login was refused: the API key is revoked');
});

test('a login that works, or is out of the window, leaves no hint', async () => {
  expect((await postLogin(harness.app, good())).statusCode).toBe(200);
  const late = signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now() - 3_600_000 });
  expect((await postLogin(harness.app, late)).statusCode).toBe(400);
  // A hint of theirs would come before that of a later login.
  await hintFor(resigned(good(), 'anything'));
  expect(hints()).toHaveLength(1);
});

test('in production there is no hint, and the key is not looked up for one', async () => {
  const production = await harness.addNode({ environment: 'production' });
  const { keyId: apiKey, secret } = studio;
  const body = signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now(), apiKey, secret });
  expect((await postLogin(production.app, body)).statusCode).toBe(200);
  const query = vi.spyOn(production.ctx.pool, 'query');
  const hex = { ...body, signature: Buffer.from(body.signature, 'base64').toString('hex') };
  expect((await postLogin(production.app, hex)).statusCode).toBe(401);
  expect((await postLogin(production.app, body)).statusCode).toBe(200);
  const statements = query.mock.calls.map(([statement]) => (statement as { name?: string }).name);
  query.mockRestore();
  expect(hints()).toEqual([]);
  // For the refusal itself.
  expect(statements.filter((name) => name === 'find_api_keys')).toHaveLength(1);
});
