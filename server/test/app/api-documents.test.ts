import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/platform/lib/is-object.js';

// What tools of other makers want of the documents. `npm run check:api` asks such tools themselves.

type Json = Readonly<Record<string, unknown>>;
type Parameter = Readonly<{ in: string; name: string; required?: boolean; description?: string }>;
type Operation = Readonly<{
  operationId?: string;
  summary?: string;
  tags?: readonly string[];
  security?: readonly Json[];
  parameters?: readonly Parameter[];
  responses: Readonly<Record<string, { description?: string }>>;
}>;
type Document = Readonly<{
  openapi: string;
  tags: readonly { name: string; description: string }[];
  components: Readonly<{ securitySchemes: Json; schemas: Json; headers: Json }>;
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}>;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);
const documentOf = (api: string): Document =>
  JSON.parse(readFileSync(new URL(`../../../openapi/${api}.json`, import.meta.url), 'utf8'));

/** Every object of a document but those within examples, with the keys that lead to it. */
function* nodesOf(node: unknown, path: readonly string[] = []): Generator<{ node: Json; path: string[] }> {
  if (typeof node !== 'object' || node === null) return;
  if (isObject(node)) yield { node, path: [...path] };
  for (const [key, value] of Object.entries(node))
    if (!/^examples?$/.test(key) || path.at(-1) === 'properties') yield* nodesOf(value, [...path, key]);
}

const isSchemaName = (path: readonly string[]) => /^(properties|patternProperties)$/.test(path.at(-1) ?? '');

function unresolved(document: Document): string[] {
  const refs = [...nodesOf(document)].flatMap(({ node }) =>
    typeof node.$ref === 'string' ? [node.$ref] : [],
  );
  return [...new Set(refs)].filter((ref) => {
    const found = ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), document);
    return !ref.startsWith('#/') || found === undefined;
  });
}

function unusedComponents(document: Document): string[] {
  const refs = new Set([...nodesOf(document)].map(({ node }) => node.$ref));
  return ['schemas', 'headers'].flatMap((kind) =>
    Object.keys(document.components[kind as 'schemas' | 'headers'])
      .map((name) => `#/components/${kind}/${name}`)
      .filter((ref) => !refs.has(ref)),
  );
}

function problemsOfOperation(document: Document, path: string, operation: Operation): string[] {
  const { operationId, summary, tags = [], security, parameters = [], responses } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = parameters.filter((each) => each.in === 'path');
  const statuses = Object.keys(responses);
  const schemes = Object.keys(document.components.securitySchemes);
  const rules: readonly [string, boolean][] = [
    ['has an operationId that is a name in every language', /^[a-z][A-Za-z0-9]*$/.test(operationId ?? '')],
    ['has a summary of one line', /^[^\n]{3,140}$/.test(summary ?? '')],
    ['has one tag of the list', tags.length === 1 && document.tags.some(({ name }) => name === tags[0])],
    [
      'says which credentials it wants, if any',
      security?.every((each) => Object.keys(each).every((name) => schemes.includes(name))) === true,
    ],
    [
      'declares the parameters of its path',
      declared.map(({ name }) => name).join() === inPath.join() && declared.every(({ required }) => required),
    ],
    ['describes each parameter', parameters.every(({ description }) => description)],
    [
      'has each parameter once',
      new Set(parameters.map((each) => `${each.in} ${each.name}`)).size === parameters.length,
    ],
    ['describes each response', Object.values(responses).every(({ description }) => description)],
    ['has a response of success', statuses.some((status) => /^[23]\d\d$/.test(status))],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${operationId} (${path}) should: ${rule}`);
}

describe.each(['player', 'admin'])('openapi/%s.json', (api) => {
  const document = documentOf(api);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  it('resolves every reference, and has no component that is not used', () => {
    expect(unresolved(document)).toEqual([]);
    expect(unusedComponents(document)).toEqual([]);
  });

  it('has patterns that mean the same in every language, with the flag for Unicode or without', () => {
    const patterns = [...nodesOf(document)].flatMap(({ node: { pattern } }) =>
      typeof pattern === 'string' ? [pattern] : [],
    );
    expect(patterns.filter((pattern) => /\\[pP]|\\u\{|\(\?[^:]/.test(pattern))).toEqual([]);
  });

  it('is OpenAPI 3.1 with no word of 3.0', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    const old = [...nodesOf(document)].filter(
      ({ node, path }) =>
        !isSchemaName(path) &&
        ('nullable' in node ||
          typeof node.exclusiveMinimum === 'boolean' ||
          typeof node.exclusiveMaximum === 'boolean'),
    );
    expect(old.map(({ path }) => path.join(' '))).toEqual([]);
  });

  it('has operations that generators and readers can use', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.filter(({ method }) => !METHODS.has(method))).toEqual([]);
    expect(
      operations.flatMap(({ path, operation }) => problemsOfOperation(document, path, operation)),
    ).toEqual([]);
  });
});
