import { type FastifySchema, fastify, type RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerAdminApi } from '../../../src/app/admin-app.js';
import { closeObjects } from '../../../src/platform/http/unknown-members.js';
import { addPerson, type Person } from '../../support/account-calls.js';
import {
  type AdminClient,
  adminContext,
  adminRoutes,
  GAME,
  type Method,
  openAdminClient,
} from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

type Route = { name: string; method: Method; path: string; schema: FastifySchema };
type Schema = Readonly<Record<string, unknown>>;

let harness: Harness;
let admin: AdminClient;
/** An owner who is signed in, and so may call every route. */
let ada: Person;
let routes: Route[];

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
  routes = await listRoutes();
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** As they are after all hooks of the registration. */
async function listRoutes(): Promise<Route[]> {
  const app = fastify();
  const registered: (RouteOptions & { path: string })[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') registered.push(route);
  });
  await registerAdminApi(app, adminContext(harness), await adminRoutes(harness));
  await app.ready();
  await app.close();
  return registered.map(({ method, url, schema = {} }) => {
    const path = url.replace('/admin/v1', '').replace(':game', 'demo-game').replaceAll(/:\w+/g, '1');
    return { name: `${method} ${url}`, method: method as Method, path, schema };
  });
}

/** The schema of a JSON body; undefined where a route takes another type only. */
function jsonBody(body: unknown): Schema | undefined {
  const { content } = body as { content?: Record<string, { schema: Schema }> };
  return content === undefined ? (body as Schema) : content['application/json']?.schema;
}

/** The places of a schema where an object names its members and takes others. */
function openObjects(schema: unknown, place = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, additionalProperties } = schema as Schema;
  const isOpen = typeof properties === 'object' && additionalProperties !== false;
  return [
    ...(isOpen ? [place] : []),
    ...Object.entries(schema)
      .filter(([key]) => key !== 'examples')
      .flatMap(([key, part]) => openObjects(part, `${place}/${key}`)),
  ];
}

describe('every admin route', () => {
  it('has a body whose objects are closed, also the inner ones', () => {
    const open = routes.flatMap(({ name, schema }) => openObjects(schema.body, `${name} `));
    expect(open).toEqual([]);
  });

  it('refuses an unknown member, and names it', async () => {
    const asked: string[] = [];
    for (const { name, method, path, schema } of routes) {
      if (method === 'GET') continue;
      const body = schema.body === undefined ? {} : jsonBody(schema.body);
      if (body === undefined) continue;
      const [example = {}] = (body.examples ?? []) as (object | object[])[];
      const query = queryOf(schema);
      const sent = Array.isArray(example)
        ? [{ ...example[0], unknownMember: 1 }]
        : { ...example, unknownMember: 1 };
      const response = await ada.call(method, `${path}${query}`, sent);
      expect(response.statusCode, `${name}: ${response.body}`).toBeGreaterThanOrEqual(400);
      expect(response.statusCode, `${name}: ${response.body}`).toBeLessThan(500);
      expect(response.body, name).toContain('no member \\"unknownMember\\"');
      asked.push(name);
    }
    expect(asked.length).toBeGreaterThan(40);
  });

  it('refuses an unknown parameter of the query, and names it', async () => {
    for (const { name, method, path, schema } of routes) {
      const query = queryOf(schema);
      const separator = query === '' ? '?' : '&';
      const response = await ada.call(method, `${path}${query}${separator}unknownParameter=1`);
      expectGeneralError(response, 400, 'parameter_invalid');
      expect(response.body, name).toContain('no parameter \\"unknownParameter\\"');
    }
  });
});

/** The required parameters, as numbers: every route takes a number for them. */
function queryOf({ querystring }: FastifySchema): string {
  const { required = [] } = (querystring ?? {}) as { required?: string[] };
  return required.length === 0 ? '' : `?${required.map((name) => `${name}=1`).join('&')}`;
}

it('a misspelt sessionId ends no session', async () => {
  const { userId } = await harness.login('many-sessions');
  await harness.login('many-sessions');
  const path = `${GAME}/players/${userId}/sessions`;
  const [{ sessionId }] = (await admin.ask<{ sessions: [{ sessionId: string }] }>('GET', path)).sessions;
  const response = await admin.call('POST', `${path}/revoke`, { sessionID: sessionId });
  expectGeneralError(response, 400, 'body_invalid');
  expect(response.json().error.message).toBe('The body has no member "sessionID". Did you mean "sessionId"?');
  expect((await admin.ask<{ sessions: unknown[] }>('GET', path)).sessions).toHaveLength(2);
});

it('a misspelt filter gets the name that was probably meant', async () => {
  const response = await admin.call('GET', '/audit-log?gmae=demo-game', undefined, admin.tokens.owner);
  expectGeneralError(response, 400, 'parameter_invalid');
  expect(response.json().error.message).toBe('The query has no parameter "gmae". Did you mean "game"?');
});

describe('closeObjects', () => {
  const named = { type: 'object', properties: { a: { type: 'string' } } };
  const closed = { ...named, additionalProperties: false };
  it.each<[string, Schema, Schema]>([
    ['an object', named, closed],
    ['an object in an array', { type: 'array', items: named }, { type: 'array', items: closed }],
    ['the choices of a union', { anyOf: [named, { type: 'null' }] }, { anyOf: [closed, { type: 'null' }] }],
    [
      'the values of a map',
      { type: 'object', additionalProperties: named },
      { type: 'object', additionalProperties: closed },
    ],
    [
      'the values of a map with a pattern',
      { type: 'object', patternProperties: { '^.*$': named } },
      { type: 'object', patternProperties: { '^.*$': closed } },
    ],
  ])('closes %s', (_name, schema, expected) => {
    expect(closeObjects(schema)).toEqual(expected);
  });

  it.each<[string, Schema]>([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['any object', { type: 'object' }],
    ['an object that says that it takes more', { ...named, additionalProperties: true }],
  ])('leaves %s as it is', (_name, schema) => {
    expect(closeObjects(schema)).toEqual(schema);
  });

  it('refuses an intersection, whose parts would refuse the members of each other', () => {
    expect(() => closeObjects({ allOf: [named] })).toThrow('must not be an intersection');
  });
});
