import type { PinKind, PlayerFacts, PlayerPin } from '../attributes/player-facts.js';

/** What a studio has set for one player, for a span of time. */
type SetForPlayer = Readonly<{ setAt: number; until: number | null }>;

/** The entry in force; of several the one set last. */
export function inForce<T extends SetForPlayer>(
  entries: readonly T[],
  isMeant: (entry: T) => boolean,
  now: number,
): T | undefined {
  let found: T | undefined;
  for (const entry of entries) {
    if (!isMeant(entry) || entry.setAt > now || (entry.until !== null && entry.until <= now)) continue;
    if (found === undefined || entry.setAt >= found.setAt) found = entry;
  }
  return found;
}

export function pinInForce(
  { pins }: PlayerFacts,
  kind: PinKind,
  target: string,
  now: number,
): PlayerPin | undefined {
  if (pins.length === 0) return undefined;
  return inForce(pins, (pin) => pin.kind === kind && pin.target === target, now);
}

/** A response holds until the next pin begins or ends. */
export function notePinBoundaries(
  context: Readonly<{ facts: PlayerFacts; noteBoundary(instant: number): boolean }>,
): void {
  for (const { setAt, until } of context.facts.pins) {
    context.noteBoundary(setAt);
    if (until !== null) context.noteBoundary(until);
  }
}
