import { type Static, Type } from 'typebox';
import { DOCUMENT_LIMITS } from './document-limits.js';
import { strict } from './member-schemas.js';
import { Sku } from './parts/catalogue.js';
import { CustomFlag, IsPayer } from './parts/flags.js';
import { Offer } from './parts/offers.js';
import { PredictionSettings } from './parts/predictions.js';
import { Segment } from './parts/segments.js';
import { StoreSettings } from './parts/store.js';

/**
 * What a studio publishes for a game: flags, segments, catalogue, store settings, offers and which predictions are told, as one
 * document that is versioned as a whole. This file says which shape it has; `validate-document.ts` says which documents make sense.
 */
export const ConfigDocument = Type.Object(
  {
    flags: Type.Object(
      { isPayer: IsPayer, custom: Type.Array(CustomFlag, { maxItems: DOCUMENT_LIMITS.flags }) },
      strict,
    ),
    segments: Type.Array(Segment, { maxItems: DOCUMENT_LIMITS.segments }),
    catalogue: Type.Array(Sku, { maxItems: DOCUMENT_LIMITS.skus }),
    store: StoreSettings,
    offers: Type.Array(Offer, { maxItems: DOCUMENT_LIMITS.offers }),
    /** Left out: none is told to clients, none is off. */
    predictions: Type.Optional(PredictionSettings),
  },
  { ...strict, title: 'ConfigDocument' },
);

export type ConfigDocument = Static<typeof ConfigDocument>;
