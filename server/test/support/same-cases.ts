import { configureGlobal } from 'fast-check';
import { SEED } from './property-runs.js';

/**
 * Properties try the same cases in every run: a case that is found by chance belongs into a night (PROPERTY_RUNS=20, see
 * property-runs.ts), not into the way of whoever runs the suite next.
 */
configureGlobal({ seed: SEED });
