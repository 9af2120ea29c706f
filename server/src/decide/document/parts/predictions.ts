import { type Static, Type } from 'typebox';
import type { ObjectPart } from '../document-part.js';
import { strict } from '../member-schemas.js';

/** Those of `decide/predict/artefact.ts`. */
export const PredictionName = Type.Union([
  Type.Literal('churn'),
  Type.Literal('spend'),
  Type.Literal('purchases'),
  Type.Literal('revenue'),
  Type.Literal('revenue90'),
  Type.Literal('payerAlive'),
]);

const PredictionNames = Type.Array(PredictionName, { maxItems: 20 });

export const PredictionSettings = Type.Object(
  {
    /**
     * What a studio expects of a player is not sent to their device, unless the studio decides so: clients are told only
     * these.
     */
    visibleToClients: PredictionNames,
    /** These are averages with the state "off", for clients and for rules. */
    off: PredictionNames,
  },
  strict,
);

export type PredictionSettings = Static<typeof PredictionSettings>;

/** For documents that say nothing about predictions. */
export const DEFAULT_PREDICTIONS: PredictionSettings = { visibleToClients: [], off: [] };

export const PREDICTION_SETTINGS: ObjectPart = {
  kind: 'object',
  path: 'predictions',
  defaultValue: DEFAULT_PREDICTIONS,
};
