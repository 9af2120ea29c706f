import type { Steps } from '../../lib/steps.js';
import type { Window } from '../schedules/windows.js';
import { type LowestPrices, lowestPrices } from './lowest-prices.js';
import { type Allowance, isOpenAt, openTimes } from './open-times.js';
import type { PricedOffer, PricedSku } from './priced-parts.js';

/** The lowest prices that could be shown from an instant on until the next piece. */
export type PricePiece = LowestPrices &
  Readonly<{
    since: number;
    /** False: to follow the prices would take too long. */
    isKnown: boolean;
  }>;

/** What decided about the price of a SKU from an instant on until the next era; null: it was not sold. */
export type SkuEra = Readonly<{ since: number; priced: PricedSku | null }>;

type Viewer = Readonly<{ currency: string; country: string; zone: string }>;

/** The bounds of one timeline. A daily window of 90 days needs 182 asks. */
const MAX_ASKS = 200;
const MAX_APPLICATIONS = 2_000;
const MAX_INSTANTS = 400;

const NOT_SOLD = { ofEverybody: null, ofAnybody: null, isKnown: true };
const UNKNOWN = { ...NOT_SOLD, isKnown: false };

/** The prices of one SKU over a span of time, in order, without a gap. The newest first get what the whole may cost. */
export function* pricePieces(eras: readonly SkuEra[], span: Window, viewer: Viewer): Steps<PricePiece[]> {
  const allowance = { asks: MAX_ASKS, applications: MAX_APPLICATIONS };
  const parts: PricePiece[][] = [];
  let until = span.until;
  for (const { since, priced } of eras.toReversed()) {
    const part = { from: Math.max(since, span.from), until };
    if (part.from >= part.until) continue;
    if (priced === null) parts.push([{ since: part.from, ...NOT_SOLD }]);
    else parts.push((yield* piecesOf(priced, part, viewer, allowance)) ?? [{ since: part.from, ...UNKNOWN }]);
    until = part.from;
  }
  if (parts.length > 0 && until > span.from) parts.push([{ since: span.from, ...NOT_SOLD }]);
  return parts.reverse().flat().filter(isChange);
}

function isChange(piece: PricePiece, index: number, pieces: readonly PricePiece[]): boolean {
  const last = pieces[index - 1];
  return (
    last?.isKnown !== piece.isKnown ||
    last.ofEverybody !== piece.ofEverybody ||
    last.ofAnybody !== piece.ofAnybody
  );
}

/** Those of one era; null where they cost too much. A step is one ask of a schedule, or one instant. */
function* piecesOf(
  { sku, offers }: PricedSku,
  span: Window,
  { currency, country, zone }: Viewer,
  allowance: Allowance,
): Steps<PricePiece[] | null> {
  const sold = yield* openTimes(sku, span, zone, allowance);
  if (sold === null) return null;
  const meant: { offer: PricedOffer; times: readonly Window[] }[] = [];
  for (const offer of offers) {
    if (!offer.appliesIn(country)) continue;
    const times = yield* openTimes(offer.offer, span, zone, allowance);
    if (times === null) return null;
    if (times.length > 0) meant.push({ offer, times });
  }
  const instants = instantsOf([sold, ...meant.map(({ times }) => times)], span);
  if (instants.length > MAX_INSTANTS) return null;
  const pieces: PricePiece[] = [];
  /** Daily windows open the same offers again and again. */
  const known = new Map<string, LowestPrices>();
  for (const since of instants) {
    yield;
    if (!isOpenAt(sold, since)) {
      pieces.push({ since, ...NOT_SOLD });
      continue;
    }
    const open = meant.filter(({ times }) => isOpenAt(times, since));
    const key = open.map(({ offer }) => offer.offer.offerId).join('\n');
    const prices =
      known.get(key) ??
      lowestPrices(
        sku,
        open.map(({ offer }) => offer),
        currency,
        allowance,
      );
    if (prices === null) return null;
    known.set(key, prices);
    pieces.push({ since, ...prices, isKnown: true });
  }
  return pieces;
}

/** Every instant at which a price can change, the beginning of the span included. */
function instantsOf(times: readonly (readonly Window[])[], { from, until }: Window): number[] {
  const instants = new Set([from]);
  for (const each of times.flat())
    for (const instant of [each.from, each.until]) if (instant < until) instants.add(instant);
  return [...instants].sort((a, b) => a - b);
}
