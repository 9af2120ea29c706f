import { isChild } from '../attributes/children.js';
import type { PlayerFacts } from '../attributes/player-facts.js';
import { chooseArm } from '../compile/arms.js';
import { bucketOf, userIdBytes } from '../compile/bucket.js';
import type { CompiledDocument, CompiledExperiment } from '../compile/compiled-document.js';
import type { CompiledRule } from '../rules/rules.js';
import type { ArmTrace, DecidedArm, PinTrace, RuleTrace, Trace } from './decision.js';
import { pinInForce } from './in-force.js';

/** What is needed of the decision in the making. */
type ArmContext = Readonly<{
  document: CompiledDocument;
  facts: PlayerFacts;
  now: number;
  trace: Trace | null;
  test(rule: CompiledRule, kind: 'experiment', id: string): boolean | undefined;
  traceOf(rule: CompiledRule, result: boolean | undefined): RuleTrace;
}>;

const NONE: readonly DecidedArm[] = [];

/** The arms of one player in one decision. Each is decided when a rule asks for it, which is noted: the response depends on it then. */
export class PlayerArms {
  readonly #context: ArmContext;
  readonly #decided = new Map<string, ArmTrace>();

  constructor(context: ArmContext) {
    this.#context = context;
  }

  variantOf(experimentId: string): string {
    const { experiments } = this.#context.document;
    let arm = this.#decided.get(experimentId);
    if (arm === undefined) {
      const experiment = experiments.get(experimentId);
      if (experiment === undefined) return '';
      arm = decideArm(this.#context, experiment);
      this.#decided.set(experimentId, arm);
    }
    return arm.variantId;
  }

  /** The arms that rules have asked for and that the player is in, drawn or pinned. */
  get asked(): readonly DecidedArm[] {
    if (this.#decided.size === 0) return NONE;
    const arms: DecidedArm[] = [];
    for (const { experimentId, seed, variantId, because } of this.#decided.values()) {
      if (because !== 'stored' && because !== 'bucket' && because !== 'pin') continue;
      const [isStored, isPinned] = [because === 'stored', because === 'pin'];
      arms.push({ experimentId, seed, variantId, isStored, isPinned });
    }
    return arms;
  }

  /** Of every experiment, in the order of the document. */
  trace(): ArmTrace[] {
    for (const experimentId of this.#context.document.experiments.keys()) this.variantOf(experimentId);
    return [...this.#context.document.experiments.keys()].flatMap((id) => this.#decided.get(id) ?? []);
  }
}

/** `because` comes first: on Node 20, a member that is added behind a spread takes a microsecond. */
function decideArm(context: ArmContext, experiment: CompiledExperiment): ArmTrace {
  const { experimentId, seed, state, winner, salt, slot, ranges, variantIds } = experiment;
  const base = { experimentId, seed, variantId: '', place: null, exposedAt: null, rule: null, pin: null };
  const pin = pinOf(context, experiment);
  if (pin !== null) return { because: 'pin', ...base, ...pin };
  if (state === 'planned' || state === 'stopped') return { because: state, ...base };
  if (state === 'decided') return ofWinner(context, experiment, { ...base, variantId: winner ?? '' });
  if (experiment.isAboutOffers && isChild(context.facts)) return { because: 'child', ...base };

  const bucket = bucketOf(salt, userIdBytes(context.facts.userId));
  const placed = { ...base, place: bucket * 100 };
  // Also of a player with a stored arm: so the experiments of a layer never share a player.
  if (bucket < slot.from || bucket >= slot.to) return { because: 'outside_slot', ...placed };
  const stored = storedArm(context, experiment);
  if (stored !== undefined) {
    const { variantId, exposedAt } = stored;
    return { because: 'stored', ...placed, variantId, exposedAt: isoTime(exposedAt) };
  }
  const arm = chooseArm(bucket, ranges);
  if (arm === undefined) return { because: 'not_covered', ...placed };
  const { isTrue, rule } = mayEnter(context, experiment);
  if (!isTrue) return { because: 'rule_false', ...placed, rule };
  return { because: 'bucket', ...placed, variantId: variantIds[arm] ?? '', rule };
}

/** A pin counts whatever the state of the experiment is, so that a test device can look at an arm before the start. Null if the variant is gone. */
function pinOf(
  { facts, now }: ArmContext,
  { experimentId, variantIds }: CompiledExperiment,
): { variantId: string; pin: PinTrace } | null {
  const found = pinInForce(facts, 'variant', experimentId, now);
  if (found === undefined) return null;
  const variantId = variantIds.find((id) => id === found.value);
  if (variantId === undefined) return null;
  const { author, reason, setAt, until } = found;
  const span = { setAt: isoTime(setAt), until: until === null ? null : isoTime(until) };
  return { variantId, pin: { author, reason, ...span, problem: null } };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

type Base = Omit<ArmTrace, 'because'>;

function ofWinner(context: ArmContext, experiment: CompiledExperiment, base: Base): ArmTrace {
  const { isTrue, rule } = mayEnter(context, experiment);
  if (isTrue) return { because: 'winner', ...base, rule };
  return { because: 'rule_false', ...base, variantId: '', rule };
}

/** The arm of the first exposure. One that the experiment no longer has is forgotten. */
function storedArm({ facts }: ArmContext, { experimentId, seed, variantIds }: CompiledExperiment) {
  return facts.exposures.find(
    (exposure) =>
      exposure.experimentId === experimentId &&
      exposure.seed === seed &&
      variantIds.includes(exposure.variantId),
  );
}

function mayEnter(
  context: ArmContext,
  { rule, experimentId }: CompiledExperiment,
): { isTrue: boolean; rule: ArmTrace['rule'] } {
  if (rule === null) return { isTrue: true, rule: null };
  const result = context.test(rule, 'experiment', experimentId);
  return { isTrue: result === true, rule: context.trace === null ? null : context.traceOf(rule, result) };
}
