import type { ConfigDocument } from './document.js';

/** An instant at which something of a document begins or ends: `{ at, begins: ['offer:weekend'], ends: [] }`. */
export type ComingInstant = Readonly<{ at: string; begins: readonly string[]; ends: readonly string[] }>;

const MAX_INSTANTS = 6;

/** The next instants after now at which an offer or a SKU of the document begins or ends, in order. */
export function comingInstants({ offers, catalogue }: ConfigDocument, nowMs: number): ComingInstant[] {
  const found = new Map<number, { begins: string[]; ends: string[] }>();
  const note = (at: string | null, change: 'begins' | 'ends', name: string) => {
    const atMs = Date.parse(at ?? '');
    if (!(atMs > nowMs)) return;
    const instant = found.get(atMs) ?? { begins: [], ends: [] };
    found.set(atMs, instant);
    instant[change].push(name);
  };
  const noteAll = ({ from, until }: { from: string | null; until: string | null }, name: string) => {
    note(from, 'begins', name);
    note(until, 'ends', name);
  };
  for (const sku of catalogue) if (sku.active) noteAll(sku, `sku:${sku.skuId}`);
  for (const offer of offers) if (offer.sharePercent > 0) noteAll(offer, `offer:${offer.offerId}`);
  return [...found]
    .sort(([one], [other]) => one - other)
    .slice(0, MAX_INSTANTS)
    .map(([atMs, changes]) => ({ at: new Date(atMs).toISOString(), ...changes }));
}

/** The beginning of an offer that begins later; undefined for any other. */
export function laterStart(from: string | null | undefined, nowMs: number): string | undefined {
  const fromMs = Date.parse(from ?? '');
  return fromMs > nowMs ? new Date(fromMs).toISOString() : undefined;
}
