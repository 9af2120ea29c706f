import { type Static, Type } from 'typebox';
import { Schedule } from '../../schedules/schedule.js';
import { checkScheduleOf, listPart, type Problems } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { nullable, Rule, SharePercent, strict } from '../member-schemas.js';
import { checkValueType } from '../value-type-checks.js';
import { ValueType, valueCheckOf } from '../value-types.js';

const ValueRule = Type.Object(
  {
    /** Who gets the value; null: everybody. */
    when: nullable(Rule),
    /** It matches in the windows of the schedule only. Left out: all the time. */
    schedule: Type.Optional(Schedule),
    sharePercent: SharePercent,
    value: Type.Unknown(),
  },
  strict,
);

const ValueDefinition = Type.Object(
  {
    key: Type.String({ pattern: PATTERNS.valueKey }),
    type: ValueType,
    /** Of players whom no rule matches. */
    defaultValue: Type.Unknown(),
    description: Type.String({ maxLength: 1000 }),
    /** `servers`: only the studio's own servers are told. They are told those for clients, too. */
    visibleTo: Type.Union([Type.Literal('clients'), Type.Literal('servers')]),
    /** Tried in order: the first that matches decides. */
    rules: Type.Array(ValueRule, { maxItems: 20 }),
  },
  strict,
);

export type ValueEntry = Static<typeof ValueDefinition>;
export type ValueRuleEntry = Static<typeof ValueRule>;

/** Games load values at each start, and keep them on the device. */
export const MAX_VALUE_BYTES = 16_384;

export const VALUES = listPart({
  name: 'values',
  path: 'values',
  noun: 'value',
  title: 'Values',
  idMember: 'key',
  limit: 200,
  entry: ValueDefinition,
  rulesOf: ({ rules }) =>
    rules.flatMap(({ when }, index) =>
      when === null ? [] : [{ member: `rules/${index}/when`, expression: when }],
    ),
  // A rule for no player changes nothing when it begins.
  timesOf: ({ rules }) =>
    rules.flatMap(({ schedule, sharePercent }, index) =>
      schedule === undefined || sharePercent === 0
        ? []
        : [{ from: null, until: null, schedule, label: `rule ${index + 1}` }],
    ),
  check: (entry, pointer, problems) => {
    for (const [index, rule] of entry.rules.entries())
      checkScheduleOf(rule, `${pointer}/rules/${index}`, problems);
    if (checkValueType(entry.type, `${pointer}/type`, problems)) checkValues(entry, pointer, problems);
  },
});

function checkValues({ type, defaultValue, rules }: ValueEntry, pointer: string, problems: Problems): void {
  const check = valueCheckOf(type);
  const places: [member: string, value: unknown][] = [
    ['defaultValue', defaultValue],
    ...rules.map(({ value }, index): [string, unknown] => [`rules/${index}/value`, value]),
  ];
  for (const [member, value] of places) {
    const problem = valueBytes(value) > MAX_VALUE_BYTES ? TOO_LARGE : check(value);
    if (problem !== undefined) problems.add(`${pointer}/${member}`, valueSentence(problem));
  }
}

const TOO_LARGE = `may take ${MAX_VALUE_BYTES} bytes at most`;

/** The sentence of a schema ends by itself. */
export function valueSentence(problem: string): string {
  return `The value ${problem}${problem.endsWith('.') ? '' : '.'}`;
}

export function valueBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
