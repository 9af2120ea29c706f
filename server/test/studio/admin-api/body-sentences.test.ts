import { fastify, type RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerAdminApi } from '../../../src/app/admin-app.js';
import { compileValidator } from '../../../src/platform/http/validation.js';
import { isObject } from '../../../src/platform/lib/is-object.js';
import { ruleOfPattern } from '../../../src/platform/lib/text-forms.js';
import {
  type AdminClient,
  adminContext,
  adminRoutes,
  GAME,
  openAdminClient,
} from '../../support/admin-calls.js';
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

type Schema = Readonly<Record<string, unknown>> & {
  type?: string;
  const?: unknown;
  pattern?: string;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  anyOf?: readonly Schema[];
  examples?: readonly unknown[];
};

const WRONG = [null, true, -1, 0.5, 1e15, '', ' ', '!', '\n', 'x'.repeat(100_000), [], {}, [null], { x: 1 }];

/** A value that is probably valid. */
function sampleOf(schema: Schema): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0]);
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, sampleOf(each)]),
    );
  const samples: Record<string, unknown> = {
    string: 'sample',
    integer: 1,
    number: 1,
    boolean: true,
    array: [],
  };
  return samples[schema.type ?? ''] ?? null;
}

/** Values of which most are refused, at every depth of the schema. */
function* wrongValues(schema: Schema): Generator<unknown> {
  yield* WRONG;
  for (const each of schema.anyOf ?? []) yield* wrongValues(each);
  if (schema.items !== undefined) {
    yield Array(10_001).fill(sampleOf(schema.items));
    for (const each of wrongValues(schema.items)) yield [each];
  }
  for (const each of Object.values(schema.patternProperties ?? {}))
    for (const wrong of wrongValues(each)) yield { USD: wrong, a: wrong };
  const whole = { ...Object(sampleOf(schema)) } as Record<string, unknown>;
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const { [name]: _, ...without } = whole;
    yield without;
    for (const wrong of wrongValues(member)) yield { ...whole, [name]: wrong };
  }
}

function patternsOf(part: unknown): string[] {
  if (!isObject(part)) return Array.isArray(part) ? part.flatMap(patternsOf) : [];
  const own = typeof part.pattern === 'string' ? [part.pattern] : [];
  return [...own, ...Object.values(part).flatMap(patternsOf)];
}

type Route = { name: string; schema: Schema; route: RouteOptions };

/** The bodies that requests are checked against, which may be less than what is documented. */
async function routesWithBodies(): Promise<Route[]> {
  const app = fastify();
  const found: Route[] = [];
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body as
      | (Schema & { content?: Record<string, { schema: Schema }> })
      | undefined;
    if (body === undefined) return;
    const schema = body.content === undefined ? body : body.content['application/json']?.schema;
    if (schema !== undefined) found.push({ name: `${route.method} ${route.url}`, schema, route });
  });
  await registerAdminApi(app, adminContext(harness), await adminRoutes(harness));
  await app.ready();
  await app.close();
  return found;
}

/** The sentence with which a body is refused; undefined if it is accepted. */
function refusalOf({ schema, route }: Route): (body: unknown) => string | undefined {
  const compile = route.validatorCompiler ?? compileValidator;
  const check = compile({ schema: schema as TSchema, method: 'POST', url: '', httpPart: 'body' });
  return (body) => {
    const result = check(body) as { error?: Error };
    return result.error?.message;
  };
}

/** What people cannot read: patterns, the words of JSON Schema, values that were not turned into words. */
const UNREADABLE =
  /pattern|schema in|schema is false|anyOf|additional propert|required propert|constant|\\[dsSpu]|\[\^|\^\(|undefined|\[object|[<>]=|must NOT|fewer than/;

describe('the sentences about bodies', () => {
  it('hold no pattern and no word of JSON Schema, on every route', async () => {
    const routes = await routesWithBodies();
    expect(routes.length).toBeGreaterThan(20);
    for (const route of routes) {
      const refusal = refusalOf(route);
      let refused = 0;
      for (const wrong of wrongValues(route.schema)) {
        const sentence = refusal(wrong);
        if (sentence === undefined) continue;
        refused++;
        expect(sentence, `${route.name} ${JSON.stringify(wrong)?.slice(0, 300)}`).not.toMatch(UNREADABLE);
        expect(sentence).toMatch(/^[A-Z].*[.?]$|^[a-z][\w.]* has no member /s);
      }
      // A route with a check of its own may take everything here, such as a file.
      if (route.route.validatorCompiler === undefined) expect(refused, route.name).toBeGreaterThan(0);
    }
  });

  it('know every pattern of a body', async () => {
    const routes = await routesWithBodies();
    const bodies = routes.filter(({ route }) => route.validatorCompiler === undefined);
    const patterns = new Set(bodies.flatMap(({ schema }) => patternsOf(schema)));
    expect(patterns.size).toBeGreaterThan(3);
    expect([...patterns].filter((pattern) => ruleOfPattern(pattern) === undefined)).toEqual([]);
  });

  it.each<['POST' | 'PUT', string, unknown, string]>([
    ['POST', '/sign-in', { email: 'ada', password: 'x' }, 'Enter an e-mail address.'],
    ['POST', '/sign-in', { email: '', password: 'x' }, 'Enter an e-mail address.'],
    ['POST', '/sign-in', { email: 'a@b', password: '' }, 'Enter the password.'],
    ['POST', '/sign-in', { email: 'a@b' }, 'The password is missing.'],
    ['POST', '/sign-in', {}, 'The email and the password are missing.'],
    [
      'POST',
      '/sign-in',
      { email: 'a@b', password: 'x', code: '1' },
      'Enter the six digits that your authenticator app shows, or a recovery code.',
    ],
    [
      'POST',
      '/admin-tokens',
      { name: ' ', role: 'viewer' },
      'The name must have a character that can be seen, and no control characters such as line breaks.',
    ],
    ['POST', `${GAME}/draft/publish`, { revision: '1', note: 'x' }, 'The revision must be a whole number.'],
    [
      'POST',
      `${GAME}/draft/publish`,
      { revision: 1, note: 'x'.repeat(2001) },
      'The note may have at most 2000 characters.',
    ],
  ])('%s %s with %j', async (method, path, body, sentence) => {
    const response = await admin.call(method, path, body, admin.tokens.owner);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toBe(sentence);
  });
});
