import { bucketOf, isInShare, userIdBytes } from '../compile/bucket.js';
import { outcomeOf } from '../compile/compile-values.js';
import type { CompiledValue, CompiledValueRule, ValueOutcome } from '../compile/compiled-document.js';
import type { DecidedValue, PinTrace, RuleTrace, ScheduleTrace, ValueRuleTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { pinInForce } from './in-force.js';
import { traceSchedule } from './trace-schedule.js';

const NONE: readonly DecidedValue[] = [];

/** The values of a player. Flags and segments are decided before, because rules refer to them. */
export function decideValues(context: DecisionContext): readonly DecidedValue[] {
  const { values } = context.document;
  if (values.length === 0) return NONE;
  const userId = userIdBytes(context.facts.userId);
  return values.map((value) => ({
    key: value.key,
    isForClients: value.isForClients,
    outcome: decideValue(context, value, userId),
  }));
}

/** A pin decides, else the first rule that matches. The bucket is that of the value: a share of 100 after one of 30 is for the other 70 percent. */
function decideValue(context: DecisionContext, value: CompiledValue, userId: Uint8Array): ValueOutcome {
  const { trace } = context;
  const { key, rules, defaultOutcome } = value;
  const pin = findPin(context, value);
  if (pin !== null && pin.outcome !== null) {
    const pinned = { because: 'pin', place: null, pin: pin.trace, rules: [] } as const;
    trace?.values.push({ key, value: pin.outcome.value, ...pinned });
    return pin.outcome;
  }
  const tried: ValueRuleTrace[] | null = trace === null ? null : [];
  let bucket: number | null = null;
  let outcome: ValueOutcome | undefined;
  for (const rule of rules) {
    if (rule.sharePercent < 100) bucket ??= bucketOf(value.salt, userId);
    const attempt = tryRule(context, key, rule, bucket ?? 0);
    const { outcome: said, schedule, trace: ruleTrace } = attempt;
    tried?.push({ sharePercent: rule.sharePercent, outcome: said, schedule, rule: ruleTrace });
    if (attempt.outcome !== 'applies') continue;
    outcome = rule.outcome;
    break;
  }
  trace?.values.push({
    key,
    value: (outcome ?? defaultOutcome).value,
    because: outcome === undefined ? 'default' : 'rule',
    place: bucket === null ? null : bucket * 100,
    pin: pin?.trace ?? null,
    rules: tried ?? [],
  });
  return outcome ?? defaultOutcome;
}

type Pin = Readonly<{ outcome: ValueOutcome | null; trace: PinTrace }>;

/** The pin of a value has no outcome if the type of the value has changed since: games never get a value of the wrong type. */
function findPin({ facts, now }: DecisionContext, { key, check }: CompiledValue): Pin | null {
  const pin = pinInForce(facts, 'value', key, now);
  if (pin === undefined) return null;
  const { value, author, reason, setAt, until } = pin;
  const problem = check(value) ?? null;
  const span = {
    setAt: new Date(setAt).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
  };
  return {
    outcome: problem === null ? outcomeOf(key, value) : null,
    trace: { author, reason, ...span, problem },
  };
}

type Attempt = Readonly<{
  outcome: ValueRuleTrace['outcome'];
  schedule: ScheduleTrace | null;
  trace: RuleTrace | null;
}>;

function tryRule(
  context: DecisionContext,
  key: string,
  { rule, schedule, sharePercent }: CompiledValueRule,
  bucket: number,
): Attempt {
  if (!isInShare(bucket, sharePercent)) return OUTSIDE;
  let window: ScheduleTrace | null = null;
  if (schedule !== null) {
    const state = context.stateOf(schedule);
    if (context.trace !== null) window = traceSchedule(context, schedule, state);
    if (state.window === null) return { outcome: 'closed', schedule: window, trace: null };
  }
  if (rule === null) return { outcome: 'applies', schedule: window, trace: null };
  context.basis |= rule.basis;
  const result = context.test(rule, 'value', key);
  const outcome = result === true ? 'applies' : 'rule_false';
  const trace = context.trace === null ? null : context.traceOf(rule, result);
  return { outcome, schedule: window, trace };
}

const OUTSIDE: Attempt = { outcome: 'outside_share', schedule: null, trace: null };
