// Makes the OpenAPI document of the player API from the schemas that its routes are registered with.
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import { Value } from 'typebox/value';
import { ERRORS } from '../server/dist/errors.js';
import { REJECTIONS } from '../server/dist/features/events/rejections.js';
import { DEMO } from '../server/dist/features/tenancy/demo-studio.js';
import { buildPlayerApp } from '../server/dist/http/player-app.js';

const TAGS = [
  { name: 'Sessions', description: 'Log in, stay logged in, log out.' },
  { name: 'Player', description: 'Who the player is to the studio, and what is on offer to them.' },
  { name: 'Events', description: 'What the player did.' },
  { name: 'Limits', description: 'How much the service takes.' },
];

const HEADERS = {
  RequestId: { description: 'Quote it when you ask for help.', schema: { type: 'string' } },
  RateLimit: {
    description: 'What is left of the limit, and in how many seconds there is more.',
    schema: { type: 'string', examples: ['"player";r=1199;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The limit: so many requests in so many seconds.',
    schema: { type: 'string', examples: ['"player";q=1200;w=60'] },
  },
};

/** The document for a context on a migrated database. */
export async function playerApiDocument(ctx) {
  const { version } = JSON.parse(await readFile(new URL('../server/package.json', import.meta.url), 'utf8'));
  const openapi = {
    openapi: '3.1.0',
    info: {
      title: 'Savepoint player API',
      version,
      description: await guide(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:8080' }],
    tags: TAGS,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'accessToken of the login',
        },
      },
      headers: HEADERS,
    },
  };
  const app = await buildPlayerApp(ctx, async (instance) => {
    await instance.register(swagger, { openapi, convertConstToEnum: false });
  });
  try {
    await app.ready();
    return finish(JSON.parse(JSON.stringify(app.swagger())));
  } finally {
    await app.close();
  }
}

function finish(document) {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      checkExamples(`${method.toUpperCase()} ${path}`, operation);
      markOptionalBody(operation);
      addCommonHeaders(operation);
    }
  }
  const { paths, schemas } = nameSchemas(document.paths);
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** Every body has an example, and every example is what its schema says. */
function checkExamples(where, { requestBody, responses }) {
  for (const [part, { content = {} }] of Object.entries({ request: requestBody ?? {}, ...responses })) {
    for (const { schema, example, examples = {} } of Object.values(content)) {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      if (values.length === 0) throw new Error(`${where}: the ${part} body has no example`);
      for (const value of values) {
        const [problem] = Value.Errors(schema, value);
        if (problem === undefined) continue;
        throw new Error(
          `${where}: an example of the ${part} body is wrong at ${problem.instancePath || '/'}: ${problem.message}`,
        );
      }
    }
  }
}

/** A body that may be null may be left out. */
function markOptionalBody({ requestBody }) {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema?.anyOf?.some(({ type }) => type === 'null')) requestBody.required = false;
}

/** What the service sends with every answer, and with those that are counted. */
function addCommonHeaders({ responses }) {
  const limited = responses[429] !== undefined;
  for (const [status, response] of Object.entries(responses)) {
    const counted = limited && (Number(status) < 400 || status === '429');
    response.headers = {
      ...response.headers,
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(counted && {
        RateLimit: { $ref: '#/components/headers/RateLimit' },
        'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
      }),
    };
  }
}

/** Moves every schema with a title to `components.schemas` under that name, so that generators make one type of it. */
function nameSchemas(paths) {
  const found = new Map();
  const visit = (node) => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, /^examples?$/.test(key) ? value : visit(value)]),
    );
    if (typeof copy.title !== 'string') return copy;
    // Examples stand with the bodies; of a schema within a schema they would only repeat a part of them.
    const { title, examples: _, ...schema } = copy;
    const known = found.get(title);
    if (known !== undefined && !Value.Equal(known, schema)) {
      throw new Error(`two different schemas have the title ${title}`);
    }
    found.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  };
  const visited = visit(paths);
  const names = [...found.keys()].sort();
  return { paths: visited, schemas: Object.fromEntries(names.map((name) => [name, found.get(name)])) };
}

/** `openapi/player-guide.md` with its blanks filled in. */
async function guide() {
  const text = await readFile(new URL('../openapi/player-guide.md', import.meta.url), 'utf8');
  const signedText = `${DEMO.keyId}|device-1|2026-11-15T12:00:00Z`;
  const blanks = new Map([
    ['apiKey', DEMO.keyId],
    ['secret', DEMO.secret],
    ['signedText', signedText],
    ['signature', createHmac('sha256', DEMO.secret).update(signedText).digest('base64')],
    [
      'errors',
      table(
        ['Code', 'Status', 'Sentence'],
        Object.entries(ERRORS).map(([code, { status, message }]) => [`\`${code}\``, status, message]),
      ),
    ],
    [
      'rejections',
      table(
        ['Code', 'Meaning'],
        Object.entries(REJECTIONS).map(([code, meaning]) => [`\`${code}\``, meaning]),
      ),
    ],
  ]);
  return text.trimEnd().replace(/\{\{(\w+)\}\}/g, (_, name) => {
    const value = blanks.get(name);
    if (value === undefined) throw new Error(`openapi/player-guide.md: nothing is known of {{${name}}}`);
    return value;
  });
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
