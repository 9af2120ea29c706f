import { clipText } from '../../lib/clip-text.js';
import type { ValueRuleTrace, ValueTrace } from '../../personalisation/decide/decision.js';
import { evaluationOf, inShare, rounded } from './reason-words.js';

const MAX_SHOWN = 200;

/** Why a player gets a value, in a sentence: the rule that decides, or why none of them does. */
export function valueReason({ key, value, because, place, rules }: ValueTrace): string {
  const says = `Value ${key} is ${clipText(JSON.stringify(value), MAX_SHOWN)}`;
  const reasons = rules.map((rule, index) => `rule ${index + 1} ${ruleReason(rule, place ?? 0)}`);
  // Of the rules that were tried, the last one decides.
  if (because === 'rule') return `${says}: ${reasons.at(-1)}.`;
  return `${says}, its default: ${reasons.length === 0 ? 'it has no rules' : reasons.join('; ')}.`;
}

function ruleReason({ outcome, rule, sharePercent }: ValueRuleTrace, place: number): string {
  if (outcome === 'outside_share') {
    return `is not for the player, whose bucket is ${rounded(place)}, outside of the share of ${sharePercent}%`;
  }
  const reason = rule === null ? 'is for everybody' : `says ${evaluationOf(rule)}`;
  const isShared = outcome === 'applies' && sharePercent < 100;
  return isShared ? `${reason}, and ${inShare(place, sharePercent)}` : reason;
}
