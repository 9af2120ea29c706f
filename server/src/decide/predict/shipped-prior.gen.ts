import type { ShippedPrior } from './prior.js';

/**
 * Written by `npm run prior` (scripts/make-prior.mjs) from 8 games that the simulator plays, of 12,000 players each. No real game is in it.
 *
 * bgBb: alpha, beta, gamma, delta. mbgNbd: r, alpha, a, b. gammaGamma: p, q, v.
 * churn, conversion: returnLogOdds, absence, age, firstWeek, active7, active28, sessions7, playMinutes7, adImpressions7, storeViews7, purchases28, isPayer.
 * spend: purchaseLogOdds, purchaseAbsence, returnLogOdds, absence, age, firstWeek, active7, active28, sessions7, playMinutes7, adImpressions7, storeViews7, purchases28.
 */
export const SHIPPED_PRIOR: ShippedPrior = {
  bgBb: { medians: [1.609, 1.468, 0.5453, 2.393], deviations: [1, 1, 1, 1] },
  mbgNbd: { medians: [2.74, 11.02, 0.6416, 1.181], deviations: [1, 1, 1, 1] },
  gammaGamma: { medians: [0.8237, 3.647, 5.308], deviations: [1, 1, 1] },
  churn: {
    intercept: 2.217,
    coefficients: [
      -4.539, 0.08032, -0.005848, 0.006832, 0.02141, -0.03906, -0.06074, 0.06323, -0.01958, 0.03165, -0.07659,
      0.02623,
    ],
    means: [-2.27, 1.674, 2.899, 0.1647, 1.719, 6.4, 1.562, 2.937, 1.646, 0.5053, 0.07719, 0.03486],
    deviations: [4.685, 1.206, 0.9521, 0.3698, 2.083, 6.551, 1.675, 2.978, 1.999, 0.8416, 0.4412, 0.1739],
  },
  conversion: {
    intercept: -9.497,
    coefficients: [1.218, -0.587, -0.4058, 0.0327, 0.181, -0.691, -0.1255, 0.1975, 0.0833, -0.1701, 0, 0],
    means: [-6.149, 2.464, 3.425, 0.08644, 0.9252, 3.429, 0.8404, 1.576, 0.8849, 0.2645, 0, 0],
    deviations: [6.028, 1.209, 0.9058, 0.281, 1.732, 5.693, 1.438, 2.599, 1.662, 0.6451, 1, 1],
  },
  spend: {
    intercept: -4.532,
    coefficients: [
      0.9022, 0.09721, 2.249, -0.3205, 0.02431, -0.01364, 0.09543, -0.3615, 0.3417, 0.0764, 0.0298, -0.0452,
      0.5282,
    ],
    means: [-3.443, 2.814, -5.967, 2.232, 3.529, 0.05881, 1.314, 5.212, 1.195, 2.181, 1.257, 0.6556, 1.235],
    deviations: [2.86, 1.245, 7.344, 1.316, 0.7982, 0.2345, 2.053, 6.978, 1.705, 3.002, 1.951, 1.071, 1.397],
  },
};
