import { type Static, Type } from 'typebox';
import { DocumentRegistry } from './document-registry.js';
import { strict } from './member-schemas.js';
import { OWN_ATTRIBUTES } from './parts/attributes.js';
import { CALENDAR_SETTINGS, CalendarSettings } from './parts/calendar.js';
import { SKUS } from './parts/catalogue.js';
import { EXPERIMENTS } from './parts/experiments.js';
import { FLAGS, IS_PAYER, IsPayer } from './parts/flags.js';
import { OFFERS } from './parts/offers.js';
import { PREDICTION_SETTINGS, PredictionSettings } from './parts/predictions.js';
import { PRICING_SETTINGS, PricingSettings } from './parts/pricing.js';
import { SEGMENTS } from './parts/segments.js';
import { STORE_SETTINGS, StoreSettings } from './parts/store.js';
import { VALUES } from './parts/values.js';

/**
 * What a studio publishes for a game: flags, segments, catalogue, store settings, offers, typed values, experiments, own attributes, which predictions are told and how
 * prices are, as one document that is versioned as a whole. This file says which parts it has. Each part is defined in its own file: shape, limit,
 * rules, and what must be right within an entry. `validate-document.ts` says what must be right between parts.
 */
export const ConfigDocument = Type.Object(
  {
    flags: Type.Object({ isPayer: IsPayer, custom: FLAGS.schema }, strict),
    segments: SEGMENTS.schema,
    catalogue: SKUS.schema,
    store: StoreSettings,
    offers: OFFERS.schema,
    /** Left out: the game has none. */
    values: Type.Optional(VALUES.schema),
    /** Left out: the game has none. */
    experiments: Type.Optional(EXPERIMENTS.schema),
    /** Left out: rules know what the service counts itself. */
    attributes: Type.Optional(OWN_ATTRIBUTES.schema),
    /** Left out: none is told to clients, none is off. */
    predictions: Type.Optional(PredictionSettings),
    /** Left out: players are told prices, not what they follow from. */
    pricing: Type.Optional(PricingSettings),
    /** Left out: the studio's zone is UTC. */
    calendar: Type.Optional(CalendarSettings),
  },
  { ...strict, title: 'ConfigDocument' },
);

export type ConfigDocument = Static<typeof ConfigDocument>;

/** The parts of a document. Validation, difference and limits walk over it. */
export const DOCUMENT_REGISTRY = new DocumentRegistry(ConfigDocument, [
  IS_PAYER,
  FLAGS,
  SEGMENTS,
  SKUS,
  STORE_SETTINGS,
  OFFERS,
  VALUES,
  EXPERIMENTS,
  OWN_ATTRIBUTES,
  PREDICTION_SETTINGS,
  PRICING_SETTINGS,
  CALENDAR_SETTINGS,
]);
