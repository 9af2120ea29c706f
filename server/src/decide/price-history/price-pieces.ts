import type { Steps } from '../../platform/lib/steps.js';
import type { Window } from '../schedules/windows.js';
import { type Allowance, type LowestPrices, lowestPrices } from './lowest-prices.js';
import { type OpenTimes, type OpenTimesCache, OpenTimesReader } from './open-times.js';
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

/** The bounds of one timeline. A daily window of 90 days needs 182 asks, also if many offers have it. */
const MAX_ASKS = 200;
const MAX_APPLICATIONS = 2_000;
const MAX_INSTANTS = 400;

const NOT_SOLD = { ofEverybody: null, ofAnybody: null, isKnown: true };
const UNKNOWN = { ...NOT_SOLD, isKnown: false };

/** The prices of one SKU over a span of time, in order, without a gap. The newest first get what the whole may cost. */
export function* pricePieces(
  eras: readonly SkuEra[],
  span: Window,
  viewer: Viewer,
  times: OpenTimesCache,
): Steps<PricePiece[]> {
  const allowance = { asks: MAX_ASKS, applications: MAX_APPLICATIONS };
  const parts: PricePiece[][] = [];
  let until = span.until;
  for (const { since, priced } of eras.toReversed()) {
    const part = { from: Math.max(since, span.from), until };
    if (part.from >= part.until) continue;
    if (priced === null) parts.push([{ since: part.from, ...NOT_SOLD }]);
    else {
      const pieces = yield* piecesOf(priced, part, viewer, times, allowance);
      parts.push(pieces ?? [{ since: part.from, ...UNKNOWN }]);
    }
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

/** Those of one era; null where they cost too much. A step is one ask of a schedule, or the prices by one set of open offers. */
function* piecesOf(
  { sku, offers }: PricedSku,
  span: Window,
  { currency, country, zone }: Viewer,
  cache: OpenTimesCache,
  allowance: Allowance,
): Steps<PricePiece[] | null> {
  const sold = yield* cache.of(sku, span, zone);
  allowance.asks -= sold.asks;
  /** By key: times that several offers have are followed once. */
  const times = new Map([[sold.key, sold]]);
  const meant: { offer: PricedOffer; key: string }[] = [];
  for (const offer of offers) {
    if (allowance.asks < 0) return null;
    if (!offer.appliesIn(country)) continue;
    const found = yield* cache.of(offer.offer, span, zone);
    if (found.windows.length === 0) continue;
    if (!times.has(found.key)) allowance.asks -= found.asks;
    times.set(found.key, found);
    meant.push({ offer, key: found.key });
  }
  const instants = instantsOf(times.values(), span);
  if (allowance.asks < 0 || instants.length > MAX_INSTANTS) return null;
  const readers = [...times.values()].map((each) => ({ key: each.key, reader: new OpenTimesReader(each) }));
  const pieces: PricePiece[] = [];
  /** Daily windows open the same offers again and again. */
  const known = new Map<string, LowestPrices>();
  for (const since of instants) {
    const open = readers.filter(({ reader }) => reader.isOpenAt(since)).map(({ key }) => key);
    if (!open.includes(sold.key)) {
      pieces.push({ since, ...NOT_SOLD });
      continue;
    }
    const set = open.join('\n');
    let prices = known.get(set) ?? null;
    if (prices === null) {
      yield;
      const applied = meant.filter(({ key }) => open.includes(key)).map(({ offer }) => offer);
      prices = lowestPrices(sku, applied, currency, allowance);
      if (prices === null) return null;
      known.set(set, prices);
    }
    pieces.push({ since, ...prices, isKnown: true });
  }
  return pieces;
}

/** Every instant at which a price can change, the beginning of the span included. */
function instantsOf(times: Iterable<OpenTimes>, { from, until }: Window): number[] {
  const instants = new Set([from]);
  for (const { windows } of times)
    for (const window of windows)
      for (const instant of [window.from, window.until]) if (instant < until) instants.add(instant);
  return [...instants].sort((a, b) => a - b);
}
