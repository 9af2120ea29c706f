/** The median of the values that are numbers. */
export function middle(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}

/** The quantile of sorted numbers at this share. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The straight line through values at 0, 1, 2, … that fits best: its two ends, and the standard error of their difference. */
export function fitLine(values) {
  const count = values.length;
  const meanX = (count - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const spreadX = values.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  const slope = values.reduce((sum, value, x) => sum + (x - meanX) * (value - mean), 0) / spreadX;
  const at = (x) => mean + slope * (x - meanX);
  const missed = values.reduce((sum, value, x) => sum + (value - at(x)) ** 2, 0);
  const error = count > 2 ? Math.sqrt(missed / (count - 2) / spreadX) * (count - 1) : Number.NaN;
  return { first: at(0), last: at(count - 1), error };
}
