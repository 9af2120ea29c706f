import type { DataProgress } from '../../core/predictions/training-report.js';
import type { TrainingData } from '../../decide/predict/training-data.js';

/** Weeks of history whose outcome is known: for calibrating and testing. */
const MIN_WEEKS = 2;

export function dataProgress({ origins }: TrainingData): DataProgress[] {
  return [{ what: 'weeks of history', have: origins.length, need: MIN_WEEKS }];
}
