import {
  type Artefact,
  type GradedName,
  isModelName,
  MODEL_NAMES,
  type ModelName,
  type TotalName,
} from './artefact.js';
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

export type GradeContext = Readonly<{
  distrusted: readonly GradedName[];
  /** The cells of a week before the origin, where the horizon is a week. */
  previous?: OriginCells | undefined;
  /** What the model says of the revenue of the last week, and what it was. */
  week: TotalMetrics | undefined;
}>;

/** What an artefact says of the days after an origin, compared with what happened. */
export function gradePredictions(
  artefact: Artefact,
  names: readonly GradedName[],
  origin: OriginCells,
  { distrusted, previous, week }: GradeContext,
): PredictionGrade[] {
  return names.flatMap((model): PredictionGrade[] => {
    const before: Health = distrusted.includes(model) ? 'red' : 'green';
    const graded = isModelName(model)
      ? gradeWeeks(artefact, model, before, origin, previous)
      : gradeDays(artefact, model, before, origin, week);
    return graded === undefined ? [] : [{ ...graded, model }];
  });
}

type Graded = Omit<PredictionGrade, 'model'>;

function gradeWeeks(
  artefact: Artefact,
  name: ModelName,
  before: Health,
  origin: OriginCells,
  previous: OriginCells | undefined,
): Graded | undefined {
  const metrics = gradeModel(artefact, name, origin);
  if (metrics === undefined) return undefined;
  return { metrics, health: healthAfter(before, metrics, previous && gradeModel(artefact, name, previous)) };
}

function gradeDays(
  artefact: Artefact,
  name: TotalName,
  before: Health,
  origin: OriginCells,
  week: TotalMetrics | undefined,
): Graded | undefined {
  const total = gradeTotal(artefact, name, origin);
  if (week === undefined || !PAYERS_REVENUE.includes(name)) {
    return total && { metrics: total, health: totalHealthAfter(before, total) };
  }
  // A young game has no 90 days that are over, but has weeks.
  const metrics = { ...(total ?? week), week: { ...week, deciles: [] } };
  const isRed = [total, week].some((each) => each && totalHealthAfter(before, each) === 'red');
  return { metrics, health: isRed ? 'red' : 'green' };
}
