import type { Steps } from '../../platform/lib/steps.js';
import type { ConfigDocument } from '../document/document.js';
import type { SkuEntry } from '../document/parts/catalogue.js';
import { toBasisPoints } from '../document/prices.js';
import type { ScheduleCompiler } from '../schedules/schedule-compiler.js';
import { compileSku, type SkuCompiler } from './compile-catalogue.js';
import { type OnUnusable, orReport } from './compile-flags-and-segments.js';
import type { CompiledSku } from './compiled-document.js';
import type { PriceNote } from './price-basis.js';

/** Active SKUs, in the studio's order. */
export function* compileSkus(
  { catalogue, store }: ConfigDocument,
  listNote: PriceNote | null,
  { compileSchedule, skuCompiler }: { compileSchedule: ScheduleCompiler; skuCompiler: SkuCompiler },
  onUnusable: OnUnusable,
): Steps<CompiledSku[]> {
  const largestDiscount = toBasisPoints(store.largestDiscountPercent);
  const skus: CompiledSku[] = [];
  for (const entry of catalogue) {
    if (!entry.active) continue;
    skus.push(
      ...orReport(`sku:${entry.skuId}`, onUnusable, () =>
        skuCompiler(entry, largestDiscount, listNote, compileSchedule),
      ),
    );
    yield;
  }
  return skus;
}

type Remembered = Readonly<{ sku: CompiledSku; largestDiscount: bigint; note: string | undefined }>;

/**
 * Compiles each entry once for as long as the entry is in use, and the settings of the document that SKUs follow from stay the same. Most
 * publications change few SKUs; a thousand of them take tens of milliseconds.
 */
export function createSkuCompiler(): SkuCompiler {
  const remembered = new WeakMap<SkuEntry, Remembered>();
  return (entry, largestDiscount, listNote, compileSchedule) => {
    const known = remembered.get(entry);
    const note = listNote?.json;
    if (known?.largestDiscount === largestDiscount && known.note === note) return known.sku;
    const sku = compileSku(entry, largestDiscount, listNote, compileSchedule);
    // Equal schedules are one object within a document, but not across two; and a schedule may follow the zone of the studio.
    if (sku.schedule === null) remembered.set(entry, { sku, largestDiscount, note });
    return sku;
  };
}
