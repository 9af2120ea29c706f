import { Type } from 'typebox';
import type { ObjectPart } from '../document-part.js';
import { PricePercent, SharePercent, strict } from '../member-schemas.js';

export const StoreSettings = Type.Object(
  {
    /** Whether clients are sent the untargeted store as `fallbackConfig`, to keep for offline play. */
    sendFallback: Type.Boolean(),
    /** The share of players who always get the untargeted store, so that the value of targeting can be measured. */
    holdoutPercent: SharePercent,
    /** Off the actual price, whatever offers say. */
    largestDiscountPercent: PricePercent,
  },
  strict,
);

export const STORE_SETTINGS: ObjectPart = { kind: 'object', path: 'store' };
