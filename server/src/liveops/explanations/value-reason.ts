import type { ValueRuleTrace, ValueTrace } from '../../decide/decide/decision.js';
import { valueSentence } from '../../decide/document/parts/values.js';
import { clipText } from '../../platform/lib/clip-text.js';
import { closedWindow, evaluationOf, inShare, openWindow, pinned, rounded } from './reason-words.js';

const MAX_SHOWN = 200;

/** Why a player gets a value, in a sentence: the rule that decides, or why none of them does. */
export function valueReason({ key, value, because, place, pin, rules }: ValueTrace): string {
  const says = `Value ${key} is ${clipText(JSON.stringify(value), MAX_SHOWN)}`;
  if (because === 'pin' && pin !== null) return `${says}: ${pinned(pin)}.`;
  const ignored =
    pin === null ? '' : ` It was ${pinned(pin)}, but the pin is ignored: ${valueSentence(pin.problem ?? '')}`;
  const reasons = rules.map((rule, index) => `rule ${index + 1} ${ruleReason(rule, place ?? 0)}`);
  // Of the rules that were tried, the last one decides.
  if (because === 'rule') return `${says}: ${reasons.at(-1)}.${ignored}`;
  return `${says}, its default: ${reasons.length === 0 ? 'it has no rules' : reasons.join('; ')}.${ignored}`;
}

function ruleReason({ outcome, schedule, rule, sharePercent }: ValueRuleTrace, place: number): string {
  if (outcome === 'outside_share') {
    return `is not for the player, whose bucket is ${rounded(place)}, outside of the share of ${sharePercent}%`;
  }
  if (outcome === 'closed') return `has a schedule that is closed${closedWindow(schedule)}`;
  const reason = rule === null ? 'is for everybody' : `says ${evaluationOf(rule)}`;
  const isShared = outcome === 'applies' && sharePercent < 100;
  const window = outcome === 'applies' ? openWindow(schedule) : '';
  return isShared ? `${reason}, and ${inShare(place, sharePercent)}${window}` : `${reason}${window}`;
}
