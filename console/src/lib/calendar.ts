/** The days that the strip of offers shows, from a week ago on. */
export type Span = { fromMs: number; untilMs: number };

const DAY = 86_400_000;
const MIN_DAYS = 28;
const MAX_DAYS = 120;

export function spanOf(
  offers: readonly { from: string | null; until: string | null }[],
  nowMs: number,
): Span {
  const fromMs = nowMs - 7 * DAY;
  const ends = offers
    .flatMap(({ from, until }) => [from, until])
    .map((text) => (text === null ? Number.NaN : Date.parse(text)))
    .filter((ms) => !Number.isNaN(ms));
  const last = Math.max(fromMs + MIN_DAYS * DAY, ...ends);
  return { fromMs, untilMs: Math.min(last + DAY, fromMs + MAX_DAYS * DAY) };
}

/** Left edge and width of an offer on the strip, in percent; undefined where it is outside the strip. */
export function barOf(
  { from, until }: { from: string | null; until: string | null },
  { fromMs, untilMs }: Span,
): { left: number; width: number } | undefined {
  const begin = Math.max(fromMs, from === null ? fromMs : Date.parse(from));
  const end = Math.min(untilMs, until === null ? untilMs : Date.parse(until));
  if (!(begin < end)) return undefined;
  const percent = (ms: number) => (100 * (ms - fromMs)) / (untilMs - fromMs);
  return { left: percent(begin), width: percent(end) - percent(begin) };
}

export function placeOf(instantMs: number, { fromMs, untilMs }: Span): number {
  return (100 * (instantMs - fromMs)) / (untilMs - fromMs);
}
