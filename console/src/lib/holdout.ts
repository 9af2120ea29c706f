import type { Schemas } from '../api/client.js';
import { countOf, formatShare } from './format.js';

type Difference = Schemas['HoldoutDifference'];

/** A difference in a sentence, with what it means. */
export function describeDifference(
  { difference, interval, state, capped }: Difference,
  format: (value: number) => string,
): string {
  const signed = (value: number) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${format(Math.abs(value))}`;
  if (state === 'sample_ratio_mismatch') return 'no verdict: the groups cannot be compared';
  if (interval === null) return `${signed(difference)}, too few players or payers to tell`;
  const range = `${signed(difference)} (${signed(interval.low)} to ${signed(interval.high)})`;
  const cap = capped === null ? '' : `. ${cappedInWords(capped, format)}`;
  switch (state) {
    case 'higher':
      return `${range}: targeting adds${cap}`;
    case 'lower':
      return `${range}: targeting takes away${cap}`;
    default:
      return `${range}: not proven, it may be chance${cap}`;
  }
}

function cappedInWords(
  { players, at }: NonNullable<Difference['capped']>,
  format: (value: number) => string,
): string {
  return `${countOf(players, 'player')} above ${format(at)} ${players === 1 ? 'counts' : 'count'} as that`;
}

/** What is wrong with a comparison whose groups have other sizes than they should; undefined if nothing is. */
export function mismatchInWords({
  sampleRatio,
  holdoutPercent,
  heldOut,
  targeted,
}: Schemas['HoldoutComparison']) {
  if (!sampleRatio.isMismatch) return undefined;
  const share = formatShare(heldOut.players / (heldOut.players + targeted.players));
  return `${share} of these players are held out, not ${holdoutPercent}%, which chance does not explain. Usually events or logins of one group get lost. The groups differ by more than targeting, so there is no verdict.`;
}
