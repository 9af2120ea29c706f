import { checkGuardrail, type Effect } from '@savepoint/statistics';
import type { GuardrailEntry } from '../../decide/document/parts/experiment-metrics.js';
import { type ArmWeights, tunedTo } from './compare-arms.js';
import { significant } from './rounding.js';
import { percent } from './words.js';

/** Whether an arm is worse than the control by more than a margin. */
export type GuardrailResult = Readonly<{
  state: 'safe' | 'breached' | 'not_proven';
  worse: 'lower' | 'higher';
  marginPercent: number;
  /** One-sided, relative to the control, at all looks together. */
  above: number;
  below: number;
}>;

export function guardrailOf(
  { worse, marginPercent }: GuardrailEntry,
  relative: Effect,
  {
    variants,
    weight,
    plannedPlayers,
  }: { variants: ArmWeights; weight: number; plannedPlayers?: number | undefined },
): GuardrailResult {
  const { state, above, below } = checkGuardrail(relative, {
    ...{ worse, margin: marginPercent / 100 },
    tunedTo: tunedTo(variants, weight, plannedPlayers),
  });
  return { state, worse, marginPercent, above: significant(above), below: significant(below) };
}

export function guardrailSentence(title: string, arm: string, result: GuardrailResult): string {
  const { state, worse, marginPercent, above, below } = result;
  const margin = `${marginPercent}%`;
  if (state === 'safe') return `${title} of ${arm} is not ${worse} by more than ${margin}. Proven.`;
  if (state === 'breached') return `${title} of ${arm} is ${worse} by more than ${margin}. Proven.`;
  const worst = worse === 'lower' ? above : below;
  return `${title} of ${arm} may be ${worse} by ${percent(Math.abs(worst))}; ${margin} is allowed. Not proven.`;
}
