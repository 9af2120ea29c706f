import type { ValueEntry } from '../../../decide/document/parts/values.js';
import { boundedType, type ValueType } from '../../../decide/document/value-types.js';
import { isObject } from '../../../platform/lib/is-object.js';
import { identifiersOf, oneLine } from './identifiers.js';

/** A class cannot have an accessor of this name. All other words may be names of members. */
const RESERVED = new Set(['constructor']);

export function typescriptCode(values: readonly ValueEntry[], head: string): string {
  const names = identifiersOf(
    values.map(({ key }) => key),
    RESERVED,
  );
  const members = values.map(({ key, type, defaultValue, description }) => {
    const result = typescriptType(type);
    const call = `this.#player.value('${key}', ${JSON.stringify(defaultValue)} as ${calledAs(type)})`;
    return [
      ...(oneLine(description) === '' ? [] : [`  /** ${oneLine(description).replaceAll('*/', '*\\/')} */`]),
      `  get ${names.get(key)}(): ${result} {`,
      `    return ${call} as ${result};`,
      '  }',
    ].join('\n');
  });
  return `// ${head}
import type { Player } from '@savepoint/client';

/** The typed values of the game: \`new GameValues(savepoint.player)\`. */
export class GameValues {
  readonly #player: Pick<Player, 'value'>;

  constructor(player: Pick<Player, 'value'>) {
    this.#player = player;
  }
${members.map((member) => `\n${member}\n`).join('')}}
`;
}

/** The type that the method of the client takes. */
function calledAs(type: ValueType): string {
  const { kind } = boundedType(type);
  // Also of other JSON, which an assertion in one step would refuse.
  if (kind === 'json') return 'unknown as object';
  return kind === 'integer' ? 'number' : kind;
}

function typescriptType(type: ValueType): string {
  const { kind, enum: allowed, schema } = boundedType(type);
  if (kind === 'json') return schemaType(schema);
  if (allowed !== undefined) return allowed.map((each) => JSON.stringify(each)).join(' | ');
  return kind === 'integer' ? 'number' : kind;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** What a JSON Schema says in simple words; `unknown` where it says it in others. */
function schemaType(schema: unknown): string {
  if (!isObject(schema)) return 'unknown';
  const { type, enum: allowed, items, properties, required } = schema;
  if (Array.isArray(allowed) && allowed.every((each) => !isObject(each) && !Array.isArray(each))) {
    return allowed.map((each) => JSON.stringify(each)).join(' | ') || 'never';
  }
  if (type === 'array') return `readonly (${schemaType(items)})[]`;
  if (type === 'object') return objectType(properties, Array.isArray(required) ? required : []);
  return typeof type === 'string' ? (TYPES[type] ?? 'unknown') : 'unknown';
}

function objectType(properties: unknown, required: readonly unknown[]): string {
  if (!isObject(properties)) return 'Readonly<Record<string, unknown>>';
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${schemaType(schema)};`,
  );
  return `Readonly<{ ${members.join(' ')} }>`;
}
