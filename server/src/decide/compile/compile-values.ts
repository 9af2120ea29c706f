import { createHash } from 'node:crypto';
import { clipText } from '../../platform/lib/clip-text.js';
import type { ValueEntry } from '../document/parts/values.js';
import { type ValueCheck, valueCheckOf } from '../document/value-types.js';
import type { CompiledRule } from '../rules/rules.js';
import type { ScheduleCompiler } from '../schedules/schedule-compiler.js';
import { experimentSalt } from './bucket.js';
import type { CompiledValue, ValueOutcome } from './compiled-document.js';

/** Throws for an entry that `validateDocument` would refuse, so that no player gets a value of the wrong type. */
export function compileValue(
  entry: ValueEntry,
  rules: readonly (CompiledRule | null)[],
  compileSchedule: ScheduleCompiler,
): CompiledValue {
  const { key, visibleTo, defaultValue } = entry;
  const check = valueCheckOf(entry.type);
  return {
    key,
    isForClients: visibleTo === 'clients',
    salt: experimentSalt(`value:${key}`),
    check,
    defaultOutcome: checkedOutcome(key, defaultValue, check),
    rules: entry.rules.map(({ schedule, sharePercent, value }, index) => ({
      rule: rules[index] ?? null,
      schedule: compileSchedule(schedule),
      sharePercent,
      outcome: checkedOutcome(key, value, check),
    })),
  };
}

function checkedOutcome(key: string, value: unknown, check: ValueCheck): ValueOutcome {
  const problem = check(value);
  if (problem !== undefined)
    throw new RangeError(`the value ${clipText(textOf(value), MAX_NAME)} ${problem}`);
  return outcomeOf(key, value);
}

export function outcomeOf(key: string, value: unknown): ValueOutcome {
  const text = textOf(value);
  return { value, name: outcomeName(key, text), memberJson: `"${key}":${text}` };
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

const MAX_NAME = 80;

/** `jump_height = 3`. Long values are cut, and told apart by a hash. */
function outcomeName(key: string, text: string): string {
  if (text.length <= MAX_NAME) return `${key} = ${text}`;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${key} = ${clipText(text, MAX_NAME)} (${digest})`;
}
