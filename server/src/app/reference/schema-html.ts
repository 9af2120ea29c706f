import { escapeHtml } from '../../platform/lib/escape-html.js';
import { markdown } from './markdown.js';

/** What the reference page shows of a JSON Schema. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
} & Partial<Record<Limit, unknown>>;

const LIMITS = {
  format: 'format',
  pattern: 'pattern',
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  minLength: 'shortest',
  maxLength: 'longest',
  minItems: 'fewest items',
  maxItems: 'most items',
  minProperties: 'fewest members',
  maxProperties: 'most members',
  default: 'default',
} as const;
type Limit = keyof typeof LIMITS;

/** The members of an object, or what else the schema takes. A named schema is a link to its place on the page. */
export function schemaHtml(schema: Schema): string {
  if (schema.$ref !== undefined) return `<p>${referenceHtml(schema.$ref)}</p>`;
  const members = Object.entries(schema.properties ?? {});
  if (members.length > 0) return membersHtml(schema, members);
  const inside = innerSchemas(schema);
  return `<p>${typeHtml(schema)}</p>${inside.map(schemaHtml).join('')}`;
}

function membersHtml(schema: Schema, members: [string, Schema][]): string {
  const rows = members.map(([name, member]) => {
    const isRequired = schema.required?.includes(name) === true;
    return `<li>${memberHtml(name, member, isRequired)}</li>`;
  });
  return `<ul class="members">${rows.join('')}</ul>`;
}

/** One member or parameter: name, type, limits, what it means, and its own members folded away. */
export function memberHtml(name: string, schema: Schema, isRequired: boolean, meaning?: string): string {
  const description = meaning ?? schema.description;
  const inside = innerSchemas(schema).filter(({ $ref }) => $ref === undefined);
  const folded = schema.properties === undefined ? inside : [schema, ...inside];
  return [
    `<code>${escapeHtml(name)}</code> <span class="type">${typeHtml(schema)}</span>`,
    isRequired ? ' <span class="required">required</span>' : '',
    limitsHtml(schema),
    description === undefined ? '' : markdown(description),
    ...folded.map((inner) => `<details><summary>members</summary>${schemaHtml(inner)}</details>`),
  ].join('');
}

/** Schemas of elements, alternatives and free members that have members of their own. */
function innerSchemas(schema: Schema): Schema[] {
  const free = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? []), ...free];
  return inner.flatMap((one) => (one.properties === undefined ? innerSchemas(one) : [one]));
}

function typeHtml(schema: Schema): string {
  if (schema.$ref !== undefined) return referenceHtml(schema.$ref);
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((one) => typeHtml({ const: one })).join(' or ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeHtml))].join(' or ');
  if (schema.items) return `array of ${typeHtml(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') {
    return `object of ${typeHtml(schema.additionalProperties)}`;
  }
  return escapeHtml([schema.type ?? 'any JSON'].flat().join(' or '));
}

function limitsHtml(schema: Schema): string {
  const limits = Object.entries(LIMITS).flatMap(([key, words]) => {
    const limit = schema[key as Limit];
    if (limit === undefined) return [];
    return [`${words} <code>${escapeHtml(typeof limit === 'string' ? limit : JSON.stringify(limit))}</code>`];
  });
  return limits.length === 0 ? '' : ` <span class="limits">${limits.join(', ')}</span>`;
}

function referenceHtml(reference: string): string {
  const name = escapeHtml(reference.slice(reference.lastIndexOf('/') + 1));
  return `<a href="#schema-${name}">${name}</a>`;
}
