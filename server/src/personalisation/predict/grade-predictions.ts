import { type Artefact, type GradedName, isModelName, MODEL_NAMES } from './artefact.js';
import { gradeModel, type Health, healthAfter } from './grade.js';
import { gradeTotal, type TotalMetrics, totalHealthAfter } from './grade-totals.js';
import type { ProbabilityMetrics } from './metrics.js';
import type { OriginCells } from './training-data.js';

export const WEEK_DAYS = 7;
/** These are also compared with each week: the first days after a collapse of prices are a small part of 28 or 90 days. */
const PAYERS_REVENUE: readonly GradedName[] = ['purchases.revenue', 'purchases.revenue90'];

/** A prediction for this many days is graded when the days are over. The week comes first. */
export const HORIZONS: readonly Readonly<{ days: number; names: readonly GradedName[] }>[] = [
  { days: WEEK_DAYS, names: MODEL_NAMES },
  {
    days: 28,
    names: ['purchases.purchases', 'purchases.revenue', 'conversion.purchases', 'conversion.revenue'],
  },
  { days: 90, names: ['purchases.revenue90', 'conversion.revenue90'] },
];

export type PredictionGrade = Readonly<{
  model: GradedName;
  metrics: (ProbabilityMetrics | TotalMetrics) & Readonly<{ week?: TotalMetrics }>;
  health: Health;
}>;

/** What an artefact says of the days after an origin, compared with what happened. */
export function gradePredictions(
  artefact: Artefact,
  names: readonly GradedName[],
  origin: OriginCells,
  {
    distrusted,
    week,
  }: Readonly<{
    distrusted: readonly GradedName[];
    /** What the model says of the revenue of the last week, and what it was. */
    week: TotalMetrics | undefined;
  }>,
): PredictionGrade[] {
  return names.flatMap((model): PredictionGrade[] => {
    const before: Health = distrusted.includes(model) ? 'red' : 'green';
    const graded = gradeOne(artefact, model, origin, before, week);
    return graded === undefined ? [] : [{ ...graded, model }];
  });
}

function gradeOne(
  artefact: Artefact,
  name: GradedName,
  origin: OriginCells,
  before: Health,
  week: TotalMetrics | undefined,
): Omit<PredictionGrade, 'model'> | undefined {
  if (isModelName(name)) {
    const metrics = gradeModel(artefact, name, origin);
    return metrics && { metrics, health: healthAfter(before, metrics) };
  }
  const total = gradeTotal(artefact, name, origin);
  if (week === undefined || !PAYERS_REVENUE.includes(name)) {
    return total && { metrics: total, health: totalHealthAfter(before, total) };
  }
  // A young game has no 90 days that are over, but has weeks.
  const metrics = { ...(total ?? week), week: { ...week, deciles: [] } };
  const isRed = [total, week].some((each) => each && totalHealthAfter(before, each) === 'red');
  return { metrics, health: isRed ? 'red' : 'green' };
}
