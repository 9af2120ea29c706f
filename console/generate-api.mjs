// Makes src/api/admin-api.gen.ts from openapi/admin.json: a type for every schema and every operation, and the address of each
// operation. It is made before every build and check and is not committed, so it cannot differ from the API document.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const document = JSON.parse(readFileSync(new URL('../openapi/admin.json', import.meta.url), 'utf8'));
const target = fileURLToPath(new URL('src/api/admin-api.gen.ts', import.meta.url));
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  METHODS.filter((method) => methods[method] !== undefined).map((method) => ({
    path,
    method: method.toUpperCase(),
    ...methods[method],
  })),
);

const text = [
  '// Made by generate-api.mjs from openapi/admin.json.',
  'export type Schemas = {',
  ...Object.entries(document.components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema)};`),
  '};',
  '',
  'export type Operations = {',
  ...operations.map((operation) => `  ${operation.operationId}: ${operationType(operation)};`),
  '};',
  '',
  'export const OPERATIONS: { readonly [Id in keyof Operations]: { method: string; path: string } } = {',
  ...operations.map(
    ({ operationId, method, path }) => `  ${operationId}: { method: '${method}', path: '${path}' },`,
  ),
  '};',
  '',
].join('\n');
if (readIfThere(target) !== text) writeFileSync(target, text);

function operationType({ parameters = [], requestBody, responses }) {
  const of = (place) => {
    const members = parameters.filter((each) => each.in === place);
    return `{ ${members.map(({ name, required, schema }) => `${quoted(name)}${required ? '' : '?'}: ${typeOf(schema)}`).join('; ')} }`;
  };
  // A file that is no JSON is a text.
  const content = requestBody?.content ?? {};
  const body = (content['application/json'] ?? content['text/csv'])?.schema;
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  // A route that can also work in the background has two.
  const found = good.flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
  const response = found.length === 0 ? 'undefined' : found.map(typeOf).join(' | ');
  return `{ params: ${of('path')}; query: ${of('query')}; body: ${body ? typeOf(body) : 'undefined'}; response: ${response} }`;
}

/** A JSON schema as a type. What is not said here does not occur in the document. */
function typeOf(schema) {
  if (schema === true || schema === undefined) return 'unknown';
  if (schema.$ref !== undefined) return `Schemas['${schema.$ref.split('/').at(-1)}']`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return `(${choices.map(typeOf).join(' | ')})`;
  if (schema.allOf !== undefined) return `(${schema.allOf.map(typeOf).join(' & ')})`;
  if (Array.isArray(schema.type)) {
    return `(${schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')})`;
  }
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `${wrapped(typeOf(schema.items))}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], patternProperties, additionalProperties }) {
  if (properties === undefined) {
    const [value] = Object.values(patternProperties ?? {});
    const rest = value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    return `Record<string, ${typeOf(rest)}>`;
  }
  const members = Object.entries(properties).map(
    ([name, value]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(value)}`,
  );
  return `{ ${members.join('; ')} }`;
}

function wrapped(type) {
  return /[|&]/.test(type) ? `(${type})` : type;
}

function quoted(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
