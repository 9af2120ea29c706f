import { applyOffer, type SkuChange } from '../decide/sku-change.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import type { PricedOffer, PricedSku } from './priced-parts.js';

/** The lowest prices that could be shown from an instant on until the next piece; null: none. */
export type PricePiece = Readonly<{
  since: number;
  /** By offers for everybody of the country, of any platform. */
  ofEverybody: bigint | null;
  /** Also by offers for single players, to a player who gets all of them. */
  ofAnybody: bigint | null;
}>;

/** What decided about the price of a SKU from an instant on until the next era; null: it was not sold. */
export type SkuEra = Readonly<{ since: number; priced: PricedSku | null }>;

type Span = Readonly<{ fromMs: number; toMs: number }>;
type Viewer = Readonly<{ currency: string; country: string; zone: string }>;

/** The prices of one SKU over a span of time, in order, without a gap. */
export function pricePieces(eras: readonly SkuEra[], span: Span, viewer: Viewer): PricePiece[] {
  const pieces: PricePiece[] = [];
  let at = span.fromMs;
  for (const [index, { since, priced }] of eras.entries()) {
    const until = eras[index + 1]?.since ?? Number.POSITIVE_INFINITY;
    const [from, to] = [Math.max(since, at), Math.min(until, span.toMs)];
    if (from >= to) continue;
    if (from > at) add(pieces, { since: at, ofEverybody: null, ofAnybody: null });
    if (priced === null) add(pieces, { since: from, ofEverybody: null, ofAnybody: null });
    else {
      for (const instant of instantsOf(priced, from, to, viewer.zone))
        add(pieces, { since: instant, ...lowestAt(priced, instant, viewer) });
    }
    at = to;
  }
  return pieces;
}

function add(pieces: PricePiece[], piece: PricePiece): void {
  const last = pieces.at(-1);
  const isSame = last?.ofEverybody === piece.ofEverybody && last?.ofAnybody === piece.ofAnybody;
  if (!isSame) pieces.push(piece);
}

/** Every instant at which a price can change, the beginning of the span included. */
function instantsOf({ sku, offers }: PricedSku, from: number, to: number, zone: string): number[] {
  const timed = [sku, ...offers.map(({ offer }) => offer)];
  const instants = new Set([from]);
  for (const { from: begin, until, schedule } of timed) {
    for (const instant of [begin, until]) if (from < instant && instant < to) instants.add(instant);
    if (schedule === null) continue;
    let at = from;
    while (at < to) {
      instants.add(at);
      at = schedule.stateAt(at, schedule.zone ?? zone).until;
    }
  }
  return [...instants].sort((a, b) => a - b);
}

type Timed = Readonly<{ from: number; until: number; schedule: CompiledSchedule | null }>;

function isOpenAt({ from, until, schedule }: Timed, instant: number, zone: string): boolean {
  if (instant < from || instant >= until) return false;
  return schedule === null || schedule.stateAt(instant, schedule.zone ?? zone).window !== null;
}

function lowestAt(
  { sku, offers }: PricedSku,
  instant: number,
  { currency, country, zone }: Viewer,
): Omit<PricePiece, 'since'> {
  if (!isOpenAt(sku, instant, zone)) return { ofEverybody: null, ofAnybody: null };
  const skuPrice = sku.skuPrices.get(currency) ?? sku.defaultSkuPrice;
  const item = { sku, text: sku.defaultText, skuPrice };
  const open = offers.filter(({ offer, appliesIn }) => isOpenAt(offer, instant, zone) && appliesIn(country));
  const priceOf = (isMeant: (offer: PricedOffer) => boolean): bigint | null => {
    let change: SkuChange | undefined;
    for (const each of open) if (isMeant(each)) change = applyOffer(each.offer, item, change, false);
    if (change === undefined) return sku.hidden ? null : skuPrice.offer;
    return change.isVisible ? change.price : null;
  };
  // Who gets an offer that is not for everybody is not known: with all of them, with each of them alone, or with none.
  const lowestOf = (reaches: readonly PricedOffer['reach'][]) => {
    const possible = open.filter(({ reach }) => reaches.includes(reach));
    const certain = (each: PricedOffer) => each.reach === 'country';
    const prices = [
      priceOf(certain),
      priceOf((each) => certain(each) || possible.includes(each)),
      ...possible.map((one) => priceOf((each) => certain(each) || each === one)),
    ];
    return prices.reduce(
      (low, price) => (low === null || (price !== null && price < low) ? price : low),
      null,
    );
  };
  return { ofEverybody: lowestOf(['platform']), ofAnybody: lowestOf(['platform', 'player']) };
}
