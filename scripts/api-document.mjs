// Makes the OpenAPI documents from the schemas that routes are registered with.
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import { fastify } from 'fastify';
import { Value } from 'typebox/value';
import { registerAdminApi } from '../server/dist/app/admin-app.js';
import { DEMO } from '../server/dist/app/demo-studio.js';
import { MODULES } from '../server/dist/app/modules.js';
import { openOperations } from '../server/dist/app/open-operations.js';
import { buildPlayerApp } from '../server/dist/app/player-app.js';
import { REJECTIONS } from '../server/dist/core/events/intake/rejections.js';
import { LOGIN_WINDOW_SECONDS } from '../server/dist/core/sessions/login-window.js';
import { AUDIT_ACTIONS } from '../server/dist/platform/admin-api/audit-actions.js';
import { ADMIN_ERRORS, ERRORS } from '../server/dist/platform/errors.js';

const TAGS = [
  { name: 'Sessions', description: 'Log in, stay logged in, log out.' },
  { name: 'Player', description: 'Who the player is to the studio, and what is on offer to them.' },
  { name: 'Events', description: 'What the player did.' },
  { name: 'Server', description: 'For the studio’s own servers, with a server key: events, reads, devices.' },
  { name: 'Stores', description: 'Where Apple and Google tell about refunds.' },
  { name: 'Limits', description: 'How much the service takes.' },
];

const ADMIN_TAGS = [
  {
    name: 'Studio',
    description: 'The signed-in member or token, the games of the studio, and the attributes of rules.',
  },
  { name: 'Account', description: 'Signing in and out, and what people do with their own account.' },
  { name: 'Access', description: 'Members, invitations, API keys and admin tokens, for owners.' },
  { name: 'Draft', description: 'The next configuration of a game while it is edited.' },
  { name: 'Versions', description: 'The published versions, and rolling back to one of them.' },
  { name: 'Predictions', description: 'The models of predictions, and how right they were.' },
  { name: 'Players', description: 'What is known of a player, and the overrides of the studio.' },
  { name: 'Segments', description: 'Who is in which segment, and what for.' },
  { name: 'Numbers', description: 'Players, revenue and retention, from roll-ups.' },
  { name: 'Experiments', description: 'What experiments have shown, plans, and the end of an experiment.' },
  { name: 'Events', description: 'What arrives, what was refused, and what never arrived.' },
  { name: 'Exports', description: 'Events as a file, made in the background.' },
  { name: 'Event files', description: 'Closed days as Parquet files, and questions to them in SQL.' },
  { name: 'Jobs', description: 'Dry runs, replays, imports and trainings that go on in the background.' },
  { name: 'Audit log', description: 'Who changed what, and when.' },
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
  return apiDocument({
    title: 'Savepoint player API',
    description: await playerGuide(),
    server: 'http://127.0.0.1:8080',
    tags: TAGS,
    bearer: { bearerFormat: 'JWT', description: 'accessToken of the login' },
    schemes: {
      serverKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A server key: made in the console, or by `savepoint key create --kind server`',
      },
      googlePush: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'The token that Pub/Sub sends with a push, for the service account of the subscription',
      },
    },
    headers: HEADERS,
    build: (prepare) => buildPlayerApp(ctx, prepare),
  });
}

/** The document of the admin API. No part of a module is started. */
export async function adminApiDocument(ctx) {
  const document = await apiDocument({
    title: 'Savepoint admin API',
    description: '',
    server: 'http://127.0.0.1:8081',
    tags: ADMIN_TAGS,
    bearer: { description: 'Made by `savepoint admin-token create`' },
    schemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'savepoint_session',
        description: 'Set by signing in. Every method but GET needs the header `X-CSRF-Token`, too.',
      },
    },
    headers: { RequestId: HEADERS.RequestId },
    async build(prepare) {
      const app = fastify();
      await prepare(app);
      const { adminRoutes } = await openOperations(MODULES, ctx);
      await registerAdminApi(app, ctx, adminRoutes);
      return app;
    },
  });
  document.info.description = await adminGuide(document);
  return document;
}

async function apiDocument({ title, description, server, tags, bearer, schemes = {}, headers, build }) {
  const { version } = JSON.parse(await readFile(new URL('../server/package.json', import.meta.url), 'utf8'));
  const openapi = {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    tags,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', ...bearer }, ...schemes },
      headers,
    },
  };
  const app = await build(async (instance) => {
    await instance.register(swagger, { openapi, convertConstToEnum: false });
  });
  try {
    await app.ready();
    const document = JSON.parse(JSON.stringify(app.swagger()), portablePattern);
    checkTags(document);
    return finish(document, 'RateLimit' in headers);
  } finally {
    await app.close();
  }
}

/**
 * Many validators read patterns without the flag for Unicode, and take `\p{C}` for four characters. The document names the control
 * characters by number. The service refuses all that are invisible: the guide says so.
 */
function portablePattern(key, value) {
  if (key !== 'pattern' || typeof value !== 'string') return value;
  return value.replaceAll('\\p{C}', '\\x00-\\x1f\\x7f-\\x9f');
}

/** The reference groups operations by tag: every tag that is used must have a description, and no other. */
function checkTags({ tags, paths }) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = [...new Set(operations.flatMap((operation) => operation.tags ?? ['none']))].sort();
  const known = tags.map(({ name }) => name).sort();
  if (used.join() !== known.join()) throw new Error(`the routes have the tags ${used}, not ${known}`);
}

function finish(document, hasRateLimits) {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      hoistExamples(operation);
      const where = `${method.toUpperCase()} ${path}`;
      checkBodiesHaveExamples(where, operation);
      checkExamples(where, operation, method);
      markOptionalBody(operation);
      addCommonHeaders(operation, hasRateLimits);
    }
  }
  const { paths, schemas } = nameSchemas(document.paths);
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** Where a body has several media types, its examples are left in their schemas. */
function hoistExamples({ requestBody = {}, responses }) {
  for (const { content = {} } of [requestBody, ...Object.values(responses)]) {
    for (const body of Object.values(content)) {
      const { example, examples, schema } = body;
      const values = schema?.examples ?? (example === undefined ? [] : [example]);
      if (values.length === 0 || examples !== undefined) continue;
      // Never a single `example`: for a response, the reference page would show invented values instead.
      body.examples = Object.fromEntries(values.map((value, n) => [`example${n + 1}`, { value }]));
      delete body.example;
      delete body.schema?.examples;
    }
  }
}

function checkBodiesHaveExamples(where, { requestBody, responses }) {
  for (const [part, { content = {} }] of Object.entries({ request: requestBody ?? {}, ...responses })) {
    for (const { example, examples = {} } of Object.values(content)) {
      if (example === undefined && Object.keys(examples).length === 0) {
        throw new Error(`${where}: the ${part} body has no example`);
      }
    }
  }
}

/** Checks every example of a body, parameter, header or schema, and every default of a schema, wherever they are. */
function checkExamples(where, node, key) {
  if (typeof node !== 'object' || node === null) return;
  // Between a schema and its members: no schema itself, whatever its members are called.
  const isNode = !/^(properties|patternProperties)$/.test(key);
  if (isNode && !Array.isArray(node)) {
    const { schema = node, example, examples = [] } = node;
    const values = Array.isArray(examples) ? examples : Object.values(examples).map(({ value }) => value);
    for (const value of example === undefined ? values : [example, ...values])
      check(schema, value, 'an example');
    if ('default' in node) check(node, node.default, 'the default');
  }
  for (const [member, value] of Object.entries(node)) {
    if (isNode && /^examples?$/.test(member)) continue;
    checkExamples(`${where} ${member}`, value, member);
  }

  function check(schema, value, what) {
    const [problem] = Value.Errors(schema, value);
    if (problem === undefined) return;
    throw new Error(`${where}: ${what} is wrong at ${problem.instancePath || '/'}: ${problem.message}`);
  }
}

/** A body that may be null may be left out. */
function markOptionalBody({ requestBody }) {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema?.anyOf?.some(({ type }) => type === 'null')) requestBody.required = false;
}

/** The headers of every response, and of responses with a rate limit. Of requests of stores only failures are counted. */
function addCommonHeaders({ responses, tags }, hasRateLimits) {
  const limited = hasRateLimits && responses[429] !== undefined;
  for (const [status, response] of Object.entries(responses)) {
    const counted = limited && (status === '429' || (Number(status) < 400 && !tags.includes('Stores')));
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
    // Examples are in the bodies; in a schema within a schema they would repeat a part of them.
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

function playerGuide() {
  const signedText = `${DEMO.keyId}|device-1|2026-11-15T12:00:00Z`;
  return guide('player-guide.md', {
    apiKey: DEMO.keyId,
    secret: DEMO.secret,
    signedText,
    signature: createHmac('sha256', DEMO.secret).update(signedText).digest('base64'),
    loginWindowMinutes: LOGIN_WINDOW_SECONDS / 60,
    errors: errorTable((code) => ADMIN_ERRORS[code] === undefined),
    rejections: table(
      ['Code', 'Meaning'],
      Object.entries(REJECTIONS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  });
}

function adminGuide({ paths }) {
  const contents = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content = {} }) => Object.values(content));
  const codes = new Set(contents.flatMap(({ examples = {} }) => Object.keys(examples)));
  return guide('admin-guide.md', {
    errors: errorTable((code) => codes.has(code)),
    auditActions: table(
      ['Action', 'When'],
      Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => [`\`${action}\``, meaning]),
    ),
  });
}

function errorTable(isListed) {
  return table(
    ['Code', 'Status', 'Sentence'],
    Object.entries(ERRORS)
      .filter(([code]) => isListed(code))
      .sort(([, a], [, b]) => a.status - b.status)
      .map(([code, { status, message }]) => [`\`${code}\``, status, message]),
  );
}

/** A file of `openapi/` with its `{{…}}` filled in. */
async function guide(file, blanks) {
  const text = await readFile(new URL(`../openapi/${file}`, import.meta.url), 'utf8');
  const known = new Map(Object.entries(blanks));
  return text.trimEnd().replace(/\{\{(\w+)\}\}/g, (_, name) => {
    const value = known.get(name);
    if (value === undefined) throw new Error(`openapi/${file}: there is no value for {{${name}}}`);
    return value;
  });
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
