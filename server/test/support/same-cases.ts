import { configureGlobal } from 'fast-check';

/**
 * Properties try the same cases in every run: a case that is found by chance belongs into a night (PROPERTY_RUNS=20, see
 * property-runs.ts), not into the way of whoever runs the suite next.
 */
if (process.env.PROPERTY_RUNS === undefined) configureGlobal({ seed: 20_261_118 });
