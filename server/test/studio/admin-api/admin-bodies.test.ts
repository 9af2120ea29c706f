import { gzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

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

const MIB = 1024 * 1024;

function send(
  payload: string | Buffer,
  headers: Record<string, string> = {},
  path = `${GAME}/draft`,
  method: 'PUT' | 'POST' = 'PUT',
): Promise<LightMyRequestResponse> {
  return admin.app.inject({
    method,
    url: `/admin/v1${path}`,
    headers: {
      authorization: `Bearer ${admin.tokens.editor}`,
      'content-type': 'application/json',
      ...headers,
    },
    payload,
  });
}

it.each([
  ['no body', '', 400, 'body_invalid'],
  ['white space', ' ', 400, 'invalid_json'],
  ['broken JSON', '{"revision":0,', 400, 'invalid_json'],
  ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'invalid_utf8'],
  ['an array', '[]', 400, 'body_invalid'],
  ['a text', '"x"', 400, 'body_invalid'],
  ['null', 'null', 400, 'body_invalid'],
  ['a number as text', '{"revision":"0","document":{}}', 400, 'body_invalid'],
  ['a fraction', '{"revision":0.5,"document":{}}', 400, 'body_invalid'],
  ['a revision below zero', '{"revision":-1,"document":{}}', 400, 'body_invalid'],
  ['a boolean', '{"revision":false,"document":{}}', 400, 'body_invalid'],
  ['no document', '{"revision":0}', 400, 'body_invalid'],
  ['no revision', '{"document":{}}', 400, 'body_invalid'],
  ['a version as text', '{"revision":0,"document":{},"basedOn":"1"}', 400, 'body_invalid'],
  ['an infinite number', '{"revision":1e999,"document":{}}', 400, 'body_invalid'],
  ['NUL', '{"revision":0,"document":{"a":"\\u0000"}}', 400, 'body_invalid'],
  [
    'a depth of 100,000',
    `{"revision":0,"document":${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
    400,
    'body_invalid',
  ],
  ['a document that is a text', '{"revision":0,"document":"x"}', 422, 'document_invalid'],
  [
    '__proto__ in the document',
    '{"revision":0,"document":{"__proto__":{"flags":{}}}}',
    422,
    'document_invalid',
  ],
  ['__proto__ for the document', '{"revision":0,"__proto__":{"document":{}}}', 400, 'body_invalid'],
  ['5 MiB', `{"a":"${'x'.repeat(5 * MIB)}"}`, 413, 'body_too_large'],
  [
    'no small number of problems',
    `{"revision":0,"document":{"offers":[${'{},'.repeat(1e5)}{}]}}`,
    422,
    'document_invalid',
  ],
])('a draft with %s is refused, and nothing is saved', async (_name, body, status, code) => {
  const response = await send(body);
  expectGeneralError(response, status, code);
  expect(response.body.length).toBeLessThan(MIB);
  expect(await admin.ask('GET', `${GAME}/draft`)).toMatchObject({ revision: 1, isEdited: false });
  expect(({} as Record<string, unknown>).flags).toBeUndefined();
});

it('a revision that is too large is a conflict like any other', async () => {
  const { document } = await admin.ask('GET', `${GAME}/draft`);
  for (const revision of [99, 2 ** 40]) {
    expectGeneralError(await send(JSON.stringify({ revision, document })), 409, 'draft_conflict');
  }
});

it('a body of almost 4 MiB is accepted', async () => {
  const body = JSON.stringify({ document: 'x'.repeat(4 * MIB - 100) });
  const response = await send(body, {}, `${GAME}/draft/validate`, 'POST');
  expect(response.statusCode, response.body).toBe(200);
});

it('unknown types and encodings are refused, known ones are unpacked up to the limit', async () => {
  const { document } = await admin.ask('GET', `${GAME}/draft`);
  const body = JSON.stringify({ document });
  const validate = (payload: string | Buffer, headers: Record<string, string>) =>
    send(payload, headers, `${GAME}/draft/validate`, 'POST');
  expectGeneralError(await validate(body, { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
  expectGeneralError(await validate(body, { 'content-encoding': 'rot13' }), 415, 'unsupported_encoding');
  expectGeneralError(await validate(body, { 'content-encoding': 'gzip' }), 400, 'encoding_invalid');
  const packed = await validate(gzipSync(body), { 'content-encoding': 'gzip' });
  expect(packed.json()).toEqual({ data: { problems: [] }, status: 'success' });
  const bomb = gzipSync(Buffer.alloc(5 * MIB, 0x20));
  expectGeneralError(await validate(bomb, { 'content-encoding': 'gzip' }), 413, 'body_too_large');
});

it.each([
  [
    'publish',
    `${GAME}/draft/publish`,
    [
      {},
      { revision: 0 },
      { note: 'x' },
      { revision: 0, note: 5 },
      { revision: 0, note: 'x', confirmPriceRaises: 'yes' },
      { revision: 0, note: 'x'.repeat(2001) },
      { revision: 0, note: '\u0000' },
    ],
  ],
  ['roll back', `${GAME}/versions/1/roll-back`, [{}, { note: null }, { note: 'x', confirmPriceRaises: 1 }]],
])('to %s takes a body of the right types', async (_name, path, bodies) => {
  for (const body of bodies) expectGeneralError(await admin.call('POST', path, body), 400, 'body_invalid');
  expectGeneralError(await admin.call('POST', path), 400, 'body_invalid');
});

it.each(['', '?revision=', '?revision=x', '?revision=-1', '?revision=1.5', '?revision=0&revision=0'])(
  'a draft is not discarded with %j',
  async (query) => {
    expectGeneralError(await admin.call('DELETE', `${GAME}/draft${query}`), 400, 'parameter_invalid');
  },
);

it.each<['POST' | 'PUT', string, object, string]>([
  ['POST', '/explain', { player: 'x' }, 'The body has no member "player". Did you mean "playerId"?'],
  [
    'POST',
    '/explain',
    { playerId: 'x', verison: 1 },
    'The body has no member "verison". Did you mean "version"?',
  ],
  [
    'POST',
    '/explain',
    { hypothetical: { profile: { contry: 'DE' } } },
    'hypothetical.profile has no member "contry". Did you mean "country"?',
  ],
  // Where a required member is missing, too, an unknown one is named only if it is similar.
  [
    'POST',
    '/draft/publish',
    { revison: 0, note: 'x' },
    'The body has no member "revison". Did you mean "revision"?',
  ],
  [
    'PUT',
    '/draft',
    { revision: 0, documnet: {} },
    'The body has no member "documnet". Did you mean "document"?',
  ],
  ['POST', '/draft/publish', { note: 'x', colour: 1 }, 'The revision is missing.'],
])('%s %s names a misspelt member of %j', async (method, path, body, message) => {
  const response = await admin.call(method, `${GAME}${path}`, body);
  expectGeneralError(response, 400, 'body_invalid');
  expect(response.json().error.message).toBe(message);
});

it('a value that is none of a few words gets the words', async () => {
  const messageOf = async (role: unknown) => {
    const response = await admin.call('POST', '/admin-tokens', { name: 'x', role }, admin.tokens.owner);
    expectGeneralError(response, 400, 'body_invalid');
    return response.json().error.message;
  };
  const words = 'The role must be "viewer" or "editor" or "owner".';
  expect(await messageOf('ownr')).toBe(`${words} Did you mean "owner"?`);
  expect(await messageOf('x')).toBe(words);
  expect(await messageOf(5)).toBe(words);
});

it('a misspelt game gets the nearest one of the studio', async () => {
  const response = await admin.call('GET', '/games/demo-gmae/draft');
  expectGeneralError(response, 404, 'game_not_found');
  expect(response.json().error.message).toContain('Did you mean "demo-game"?');
});
