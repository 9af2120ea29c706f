import type { Attribute } from './attribute.js';
import type { AttributeRegistry } from './attribute-registry.js';
import { TIME_BASIS, type TimeBasis } from './time-basis.js';

const TIMES: Readonly<Record<Exclude<keyof typeof TIME_BASIS, 'never'>, string>> = {
  midnight: 'at midnight UTC',
  firstSeen: 'every 24 hours after the first login',
  lastEvent: 'every 24 hours after the last event',
  lastPurchase: 'every 24 hours after the last purchase',
  predictions: 'at midnight UTC, and with a new model',
};

/** The attributes as a table in Markdown, for docs/personalisation.md. */
export function attributeTable({ attributes }: AttributeRegistry): string {
  const rows = attributes.map((attribute) => [
    code(attribute.name),
    code(attribute.usage),
    valuesOf(attribute),
    attribute.description,
    timesOf(attribute),
  ]);
  const head = ['attribute', 'in a rule', 'values', 'description', 'changes with time alone'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}

function valuesOf({ fields, value }: Attribute): string {
  if (value !== null) return value.type;
  const types = [...new Set(fields.map(({ type }) => type))];
  const ofType = (type: string) =>
    fields.filter((field) => field.type === type).map(({ name }) => code(name));
  return types.map((type) => `${ofType(type).join(', ')}: ${type}`).join('; ');
}

function timesOf({ key, fields, value }: Attribute): string {
  if (key === 'flagId' || key === 'segmentId' || key === 'experimentId') return 'as its own rule does';
  if (value !== null) return timesOfBasis(value.basis);
  const bases = [...new Set(fields.map(({ basis }) => basis))];
  const ofBasis = (basis: TimeBasis) =>
    fields.filter((field) => field.basis === basis).map(({ name }) => code(name));
  if (bases.length === 1) return timesOfBasis(bases[0] ?? TIME_BASIS.never);
  return bases.map((basis) => `${ofBasis(basis).join(', ')}: ${timesOfBasis(basis)}`).join('; ');
}

function timesOfBasis(basis: TimeBasis): string {
  const times = Object.entries(TIMES).filter(([name]) => basis & TIME_BASIS[name as keyof typeof TIMES]);
  return times.length === 0 ? 'no' : times.map(([, words]) => words).join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
