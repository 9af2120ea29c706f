import { DAY_MS } from '../../platform/lib/day.js';
import type { FlagOverride, PlayerFacts } from '../attributes/player-facts.js';
import type { CompiledDocument, CompiledFlag, SegmentMembership } from '../compile/compiled-document.js';
import type { ScheduleState } from '../schedules/windows.js';
import { decideStay } from './decide-stay.js';
import type { FlagState, FlagTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { inForce } from './in-force.js';
import { traceSchedule } from './trace-schedule.js';

export type FlagsAndSegmentsDecision = Readonly<{
  flags: Readonly<Record<string, FlagState>>;
  segments: readonly SegmentMembership[];
}>;

/** The flags and segments of a player: each rule once, after those it refers to. */
export function decideFlagsAndSegments(context: DecisionContext): FlagsAndSegmentsDecision {
  const { document, facts, attributes, trace } = context;
  eachFlagInstant(document, facts, (_flagId, instant) => context.noteBoundary(instant));
  const flags: Record<string, FlagState> = {};
  for (const node of document.flagsAndSegments) {
    if (node.kind === 'flag') {
      const state = decideFlag(context, node);
      flags[node.flagId] = state;
      attributes.flags.set(node.flagId, state.value);
      continue;
    }
    const { segmentId } = node.listed;
    const { rule, result, stay } =
      node.thresholds === null
        ? { rule: node.rule, result: context.test(node.rule, 'segment', segmentId), stay: null }
        : decideStay(context, node, node.thresholds);
    const member = result === true;
    if (member) attributes.segments.add(segmentId);
    trace?.segments.push({
      segmentId,
      member,
      rule: context.traceOf(rule, result),
      stay: stay && { enteredAt: new Date(stay.enteredAt).toISOString(), value: stay.value },
    });
  }
  const segments: SegmentMembership[] = [];
  for (const { listed } of document.segments) {
    if (attributes.segments.has(listed.segmentId)) segments.push(listed);
  }
  return { flags, segments };
}

/** A value, and the instant at which it becomes, or has become, the default again. */
type Timed = Readonly<{ value: boolean; expiresAt: number | null; because: FlagTrace['because'] }>;

function decideFlag(context: DecisionContext, flag: CompiledFlag): FlagState {
  const { facts, now, trace } = context;
  const state = flag.schedule && context.stateOf(flag.schedule);
  const asked = state?.window === null ? null : flag.rule;
  const result = asked === null ? undefined : context.test(asked, 'flag', flag.flagId);
  const rule = asked === null || trace === null ? null : context.traceOf(asked, result);
  const byRule = flag.isPayer ? payer(context.document.payerForDays, facts, now) : ruled(flag, result, state);
  const override = inForce(facts.overrides, ({ flagId }) => flagId === flag.flagId, now);
  if (override !== undefined) context.attributes.noteDecided('flag', flag.flagId);
  const { value, expiresAt, because } =
    override === undefined ? byRule : overridden(override, byRule, flag.defaultValue);
  if (trace !== null) {
    const schedule = flag.schedule && state && traceSchedule(context, flag.schedule, state);
    trace.flags.push({ flagId: flag.flagId, value, because, schedule, rule });
  }
  const expiredAt = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return { value, defaultValue: flag.defaultValue, expiredAt };
}

/** A rule that cannot be evaluated leaves the flag at its default, and so does a schedule that is closed. */
function ruled(
  { defaultValue }: CompiledFlag,
  result: boolean | undefined,
  state: ScheduleState | null,
): Timed {
  if (state?.window === null) return { value: defaultValue, expiresAt: null, because: 'closed' };
  if (result === undefined) return { value: defaultValue, expiresAt: null, because: 'default' };
  const isEndKnown = result !== defaultValue && state !== null && !state.isOpenNext;
  return { value: result, expiresAt: isEndKnown ? state.until : null, because: 'rule' };
}

function payer(forDays: number | null, { purchaseCount, lastPurchaseAt }: PlayerFacts, now: number): Timed {
  if (purchaseCount === 0 || lastPurchaseAt === null) {
    return { value: false, expiresAt: null, because: 'default' };
  }
  if (forDays === null) return { value: true, expiresAt: null, because: 'purchase' };
  const expiresAt = lastPurchaseAt + forDays * DAY_MS;
  const value = now < expiresAt;
  return { value, expiresAt, because: value ? 'purchase' : 'purchase_expired' };
}

/**
 * When an override ends, the rule decides again. Clients read `expiredAt` as the instant at which the value becomes the
 * default, so the end of an override is reported only if the rule gives the default as well.
 */
function overridden({ value, until }: FlagOverride, byRule: Timed, defaultValue: boolean): Timed {
  const because = 'override';
  if (value === defaultValue || until === null) return { value, expiresAt: null, because };
  if (byRule.value === defaultValue) return { value, expiresAt: until, because };
  const expiresAt = byRule.expiresAt === null ? null : Math.max(until, byRule.expiresAt);
  return { value, expiresAt, because };
}

/** The instants at which flags of a player change, or may have changed, by time alone. */
export function eachFlagInstant(
  { payerForDays }: CompiledDocument,
  { lastPurchaseAt, overrides }: PlayerFacts,
  visit: (flagId: string, instant: number) => void,
): void {
  if (lastPurchaseAt !== null) {
    visit('isPayer', lastPurchaseAt);
    if (payerForDays !== null) visit('isPayer', lastPurchaseAt + payerForDays * DAY_MS);
  }
  for (const { flagId, setAt, until } of overrides) {
    visit(flagId, setAt);
    if (until !== null) visit(flagId, until);
  }
}
