import { isObject } from '../is-object.js';
import { pointerPart } from '../json-pointer.js';

export type SchemaObject = Readonly<Record<string, unknown>>;
export type Schema = SchemaObject | boolean;

/** A schema and where it stands in its document, as in `#/$defs/level`. */
export type Located = Readonly<{ schema: Schema; location: string }>;

/** Why a schema cannot be used, as a sentence. */
export class SchemaError extends Error {}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const SINGLE = [
  ...[
    'additionalProperties',
    'propertyNames',
    'unevaluatedProperties',
    'items',
    'contains',
    'unevaluatedItems',
  ],
  ...['not', 'if', 'then', 'else', 'contentSchema'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'];

/** Identifiers are resolved against it where the document has none. Never fetched, as nothing is. */
const NO_BASE = 'schema://document/';

/** The schemas of a document and the names by which they refer to each other. */
export class SchemaDocument {
  readonly root: Located;
  readonly #onOther: (schema: SchemaObject) => void;
  readonly #bases = new Map<object, string>();
  readonly #locations = new Map<object, string>();
  /** Schemas by their identifier, or identifier and anchor. */
  readonly #named = new Map<string, SchemaObject>();

  /** `onOther` is told of schemas that stand under names which the draft does not know: a reference shows them to be schemas. */
  constructor(schema: Schema, onOther: (schema: SchemaObject) => void) {
    this.#onOther = onOther;
    this.root = { schema, location: '#' };
    if (typeof schema === 'boolean') return;
    this.#named.set(NO_BASE, schema);
    this.#register(schema, NO_BASE, '#');
  }

  /** What a `$ref` in this schema means, or undefined if it is not in the document. */
  resolve(reference: string, from: SchemaObject): Located | undefined {
    const url = parseUrl(reference, this.#bases.get(from));
    if (url === undefined) return undefined;
    const fragment = decodeFragment(url.hash);
    if (fragment === undefined) return undefined;
    const isPointer = fragment === '' || fragment.startsWith('/');
    const named = this.#named.get(isPointer ? withoutHash(url) : url.href);
    if (named === undefined) return undefined;
    return this.#follow(named, isPointer ? fragment.split('/').slice(1) : []);
  }

  #follow(from: SchemaObject, pointer: readonly string[]): Located | undefined {
    let found: unknown = from;
    let base = this.#bases.get(from) ?? NO_BASE;
    let location = this.#locations.get(from) ?? '#';
    for (const part of pointer) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as SchemaObject)[name];
      location += `/${part}`;
      if (isObject(found)) base = this.#bases.get(found) ?? base;
    }
    if (typeof found === 'boolean') return { schema: found, location };
    if (!isObject(found)) return undefined;
    if (!this.#bases.has(found)) {
      this.#onOther(found);
      this.#register(found, base, location);
    }
    return { schema: found, location: this.#locations.get(found) ?? location };
  }

  #register(schema: SchemaObject, outerBase: string, location: string): void {
    if (this.#bases.has(schema)) return;
    const base = this.#identify(schema, outerBase);
    this.#bases.set(schema, base);
    this.#locations.set(schema, location);
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') this.#name(`${base}#${anchor}`, schema);
    }
    for (const [inner, path] of subschemasOf(schema)) this.#register(inner, base, location + path);
  }

  #identify(schema: SchemaObject, outerBase: string): string {
    if (typeof schema.$id !== 'string') return outerBase;
    const url = parseUrl(schema.$id, outerBase);
    if (url === undefined)
      throw new SchemaError(`The identifier ${JSON.stringify(schema.$id)} is not a URI.`);
    const base = withoutHash(url);
    this.#name(base, schema);
    return base;
  }

  #name(name: string, schema: SchemaObject): void {
    const other = this.#named.get(name);
    if (other !== undefined && other !== schema) {
      throw new SchemaError(`The identifier or anchor ${name.replace(NO_BASE, '')} is used twice.`);
    }
    this.#named.set(name, schema);
  }
}

function subschemasOf(schema: SchemaObject): [SchemaObject, string][] {
  const found: [SchemaObject, string][] = [];
  const add = (inner: unknown, path: string) => {
    if (isObject(inner)) found.push([inner, path]);
  };
  for (const keyword of SINGLE) add(schema[keyword], `/${keyword}`);
  for (const keyword of [...LISTS, ...MAPS]) {
    const inner = schema[keyword];
    if (typeof inner !== 'object' || inner === null) continue;
    for (const [name, member] of Object.entries(inner)) add(member, `/${keyword}/${pointerPart(name)}`);
  }
  return found;
}

function parseUrl(text: string, base: string | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function decodeFragment(hash: string): string | undefined {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return undefined;
  }
}

function withoutHash(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
}
