import { clipText } from './clip-text.js';
import type { Suggest } from './nearest-name.js';

/** More would not be read. */
const MAX_LISTED = 20;
const MAX_NAME = 64;

/** What is read of a schema here. */
export type SchemaPart = {
  properties?: Record<string, unknown>;
  patternProperties?: Record<string, unknown>;
  pattern?: string;
  anyOf?: readonly { const?: unknown; type?: string }[];
};

/** The part of a schema that an error of its validation is about, by the path in the error: `#/properties/offers/items`. */
export function schemaAt(schema: unknown, path: string): SchemaPart {
  let part: unknown = schema;
  for (const name of path.split('/').slice(1)) part = (part as Record<string, unknown> | undefined)?.[name];
  return typeof part === 'object' && part !== null ? part : {};
}

/** The part of a value that a JSON pointer leads to; undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let part = value;
  for (const name of pointer.split('/').slice(1)) {
    const member = name.replaceAll('~1', '/').replaceAll('~0', '~');
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[member] : undefined;
  }
  return part;
}

/** ` no member "offer". Did you mean "offers"?`, or which members there are when none is near. */
export function noMember(name: string, schema: SchemaPart, suggest: Suggest, what = 'member'): string {
  const members = Object.keys(schema.properties ?? {});
  const nearest = suggest(name, members);
  const listed =
    members.length === 0 || members.length > MAX_LISTED ? '' : ` There are ${members.join(', ')}.`;
  return `no ${what} "${clipText(name, MAX_NAME)}"${nearest === '' ? `.${listed}` : `.${nearest}`}`;
}
