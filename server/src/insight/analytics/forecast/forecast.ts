/**
 * A forecast of daily revenue, in plain steps:
 *
 *   days ──► weekday factors ──► level (recent days count more) ──► expected = level × factor of the weekday
 *     └────► the same forecast made on past days ──► ratios of what came to what was expected ──► interval
 *
 * The interval assumes nothing about the shape of the errors: it goes from the 10th to the 90th percentile of the ratios that the
 * method itself had at this distance (in weeks), so it also says how good the method is for this game. Pure.
 */

export const HORIZON_DAYS = 28;
/** The share of days that is expected to lie within the interval. */
export const NOMINAL_COVERAGE = 0.8;
/** A past forecast reads at least this many days. */
const MIN_HISTORY_DAYS = 28;
/** Past forecasts whose 28 days are over: fewer have no percentiles to speak of. */
const MIN_BACKTESTS = 28;
export const MIN_DAYS = MIN_HISTORY_DAYS + HORIZON_DAYS + MIN_BACKTESTS;
/** With fewer days of revenue in the last eight weeks, single purchases decide over every number. */
export const MIN_REVENUE_DAYS = 28;
/** What lies further back says little about the weekdays, and nothing about the level. */
const FIT_DAYS = 56;
/** After this many days, a day counts half for the level. */
const HALF_LIFE_DAYS = 7;
/** Each weekday begins with this many average weeks, so that one large day does not make a factor. */
const PRIOR_WEEKS = 2;
const WEEK = 7;
/** A year, for the errors of the method. */
export const MAX_DAYS = 365;
/** Past intervals are looked at once a week, and for this many weeks: more would hold up other requests. */
const COVERAGE_WEEKS = 13;
/** The total of 28 days has about one independent past value in four weeks: before this many forecasts there is no interval. */
const MIN_TOTAL_BACKTESTS = 56;

export type ForecastDay = Readonly<{ expected: number; low: number; high: number }>;

export type Forecast =
  | Readonly<{ outcome: 'too_little_data'; days: number; revenueDays: number }>
  | Readonly<{
      outcome: 'forecast';
      days: readonly ForecastDay[];
      /** Of all days together. Null while too few forecasts of 28 days are over. */
      total: ForecastDay | null;
      /** Of the intervals that the method gave in the past, from what was known then: how many, and how many days lay within. */
      coverage: Readonly<{ intervals: number; covered: number }>;
    }>;

/** `revenue` holds each day from the first one with revenue to the last one that is over. */
export function forecastRevenue(revenue: readonly number[]): Forecast {
  const revenueDays = revenue.slice(-FIT_DAYS).filter((amount) => amount > 0).length;
  if (revenue.length < MIN_DAYS || revenueDays < MIN_REVENUE_DAYS) {
    return { outcome: 'too_little_data', days: revenue.length, revenueDays };
  }
  const backtests = backtestsOf(revenue);
  const expected = expectedAfter(revenue, revenue.length);
  const totals = backtests.flatMap(({ totalRatio }) => totalRatio ?? []);
  return {
    outcome: 'forecast',
    days: intervalsOf(expected, backtests, revenue.length),
    total: totals.length < MIN_TOTAL_BACKTESTS ? null : interval(sum(expected), inOrder(totals)),
    coverage: coverageOf(backtests, revenue),
  };
}

/** The expected revenue of the 28 days from a position on, by the days before it. */
function expectedAfter(revenue: readonly number[], position: number): number[] {
  const start = Math.max(0, position - FIT_DAYS);
  const mean = sum(revenue.slice(start, position)) / (position - start);
  if (mean === 0) return Array.from({ length: HORIZON_DAYS }, () => 0);
  const sums = Array.from({ length: WEEK }, () => PRIOR_WEEKS * mean);
  const counts = Array.from({ length: WEEK }, () => PRIOR_WEEKS);
  for (let day = start; day < position; day++) {
    sums[day % WEEK] = (sums[day % WEEK] ?? 0) + (revenue[day] ?? 0);
    counts[day % WEEK] = (counts[day % WEEK] ?? 0) + 1;
  }
  const factors = sums.map((total, weekday) => total / (counts[weekday] ?? 1) / mean);
  let weighted = 0;
  let weights = 0;
  for (let day = start; day < position; day++) {
    const weight = 0.5 ** ((position - 1 - day) / HALF_LIFE_DAYS);
    weighted += weight * ((revenue[day] ?? 0) / (factors[day % WEEK] ?? 1));
    weights += weight;
  }
  const level = weighted / weights;
  return Array.from(
    { length: HORIZON_DAYS },
    (_, ahead) => level * (factors[(position + ahead) % WEEK] ?? 1),
  );
}

type Backtest = {
  /** The first day that it did not know. */
  position: number;
  expected: readonly number[];
  /** What came, divided by what was expected; by distance, as far as the days are over. */
  ratios: readonly number[];
  /** Of all 28 days together, if they are over. */
  totalRatio: number | null;
};

/** The forecasts of all past days, each made of what was known then. */
function backtestsOf(revenue: readonly number[]): Backtest[] {
  const backtests: Backtest[] = [];
  for (let position = MIN_HISTORY_DAYS; position < revenue.length; position++) {
    const expected = expectedAfter(revenue, position);
    const actual = revenue.slice(position, position + HORIZON_DAYS);
    // Before the first revenue of eight weeks there is nothing to divide by.
    if (sum(expected) === 0) continue;
    const isOver = actual.length === HORIZON_DAYS;
    backtests.push({
      position,
      expected,
      ratios: actual.map((amount, ahead) => amount / (expected[ahead] ?? 1)),
      totalRatio: isOver ? sum(actual) / sum(expected) : null,
    });
  }
  return backtests;
}

/** The interval of each day of a forecast, from the ratios that were known before its first day. */
function intervalsOf(
  expected: readonly number[],
  backtests: readonly Backtest[],
  position: number,
): ForecastDay[] {
  const byWeek = Array.from({ length: HORIZON_DAYS / WEEK }, (_, week) =>
    inOrder(
      backtests.flatMap((backtest) => {
        const over = Math.min((week + 1) * WEEK, position - backtest.position);
        return backtest.ratios.slice(week * WEEK, Math.max(week * WEEK, over));
      }),
    ),
  );
  return expected.map((amount, ahead) =>
    interval(amount, byWeek[Math.floor(ahead / WEEK)] ?? new Float64Array()),
  );
}

/** How the intervals of past forecasts fared, each made of what was known then. */
function coverageOf(
  backtests: readonly Backtest[],
  revenue: readonly number[],
): { intervals: number; covered: number } {
  const byPosition = new Map(backtests.map((backtest) => [backtest.position, backtest]));
  let intervals = 0;
  let covered = 0;
  for (let weeks = 1; weeks <= COVERAGE_WEEKS; weeks++) {
    const backtest = byPosition.get(revenue.length - weeks * WEEK);
    if (backtest === undefined || backtest.position < MIN_DAYS) break;
    const { expected, position } = backtest;
    for (const [ahead, { low, high }] of intervalsOf(expected, backtests, position).entries()) {
      const actual = revenue[position + ahead];
      if (actual === undefined) break;
      intervals++;
      if (actual >= low && actual <= high) covered++;
    }
  }
  return { intervals, covered };
}

/** From the 10th to the 90th percentile of the ratios. */
function interval(expected: number, sortedRatios: Float64Array): ForecastDay {
  const tail = (1 - NOMINAL_COVERAGE) / 2;
  const low = expected * percentile(sortedRatios, tail);
  const high = expected * percentile(sortedRatios, 1 - tail);
  return { expected, low: Math.min(low, expected), high: Math.max(high, expected) };
}

/** As an array of its own kind, which sorts ten times as fast. */
function inOrder(ratios: readonly number[]): Float64Array {
  return Float64Array.from(ratios).sort();
}

/** As of a sample of n: the positions reach from 1/(n+1) to n/(n+1), so few ratios give a wider interval. */
function percentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length + 1) - 1;
  const below = Math.min(sorted.length - 1, Math.max(0, Math.floor(place)));
  const above = Math.min(sorted.length - 1, below + 1);
  const part = Math.min(1, Math.max(0, place - below));
  return (sorted[below] ?? 1) * (1 - part) + (sorted[above] ?? 1) * part;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
