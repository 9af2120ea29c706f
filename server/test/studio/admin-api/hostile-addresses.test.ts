/** @module-tag full */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, type Method, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

const API_DOCUMENT = new URL('../../../../openapi/admin.json', import.meta.url);

const ODD_TEXTS = ['%00', 'a%00b', '__proto__', '%F0%9F%98%80', 'x'.repeat(90)];

type Parameter = Readonly<{
  in: string;
  name: string;
  required?: boolean;
  example?: unknown;
  schema: Readonly<{ type?: string; anyOf?: readonly Readonly<{ const?: unknown }>[] }>;
}>;
type Operation = Readonly<{
  parameters?: readonly Parameter[];
  requestBody?: Readonly<{
    content: Readonly<Record<string, Readonly<{ examples?: Readonly<{ example1: { value: unknown } }> }>>>;
  }>;
}>;
type Request = Readonly<{ method: Method; path: string; body: unknown; parameters: readonly Parameter[] }>;

let harness: Harness;
let admin: AdminClient;
let userId: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  ({ userId } = await harness.login('odd-addresses'));
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

describe('an odd text in an address of the admin API', () => {
  it('never fails on our side, wherever it is', async () => {
    for (const { method, path, body, parameters } of await requests()) {
      for (const { name } of parameters.filter((each) => each.in !== 'header')) {
        for (const text of ODD_TEXTS) {
          const url = addressWith(path, parameters, { name, text });
          const response = await admin.call(method, url, body, admin.tokens.owner);
          expect(response.statusCode, `${method} ${url}: ${response.body}`).toBeLessThan(500);
        }
      }
    }
  });

  it.each(['first_offer%00', 'first_offer?seed=%00', '%00?seed=%00'])(
    'finds no experiment %s',
    async (address) => {
      const response = await admin.call('GET', `${GAME}/experiments/${address}`);
      expectGeneralError(response, 404, 'experiment_not_found');
    },
  );
});

/** Every operation with the body of its example, so that each comes as far as to look the text up. */
async function requests(): Promise<Request[]> {
  const { paths } = JSON.parse(await readFile(API_DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase() as Method,
      path: path.replace('/admin/v1', ''),
      body: requestBody?.content['application/json']?.examples?.example1.value,
      parameters,
    })),
  );
}

/** An address with the text in one place, and what may well be right in all others that it needs. */
function addressWith(
  path: string,
  parameters: readonly Parameter[],
  odd: Readonly<{ name: string; text: string }>,
): string {
  const values = new Map(parameters.map((each) => [each.name, usualValue(each)]));
  values.set(odd.name, odd.text);
  const query = parameters
    .filter((each) => each.in === 'query' && (each.required === true || each.name === odd.name))
    .map(({ name }) => `${name}=${values.get(name)}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function usualValue({ name, example, schema }: Parameter): string {
  if (name === 'playerId') return userId;
  if (schema.type === 'integer') return '1';
  return String(example ?? schema.anyOf?.[0]?.const ?? 'x');
}
