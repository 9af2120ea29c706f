const spread = (digits) => [
  'spread',
  ({ lowest, highest }) => `${lowest.toFixed(digits)}–${highest.toFixed(digits)}`,
];
const number = (title, pick, digits = 0) => [
  title,
  (row) => (Number.isFinite(pick(row)) ? pick(row).toFixed(digits) : ''),
];
/** Whether a row reaches its target; undefined for one without. */
export function isReached({
  target,
  orPerSecond = Number.POSITIVE_INFINITY,
  limit,
  ratio,
  last,
  perSecond,
  value,
}) {
  if (limit !== undefined) return value <= limit;
  if (target === undefined) return undefined;
  return (last ?? ratio) >= target || perSecond >= orPerSecond;
}

function targetText(row) {
  const reached = isReached(row);
  if (reached === undefined) return '';
  const wanted = row.limit === undefined ? `≥ ${row.target.toFixed(2)}` : `≤ ${row.limit.toFixed(2)}`;
  const or = row.orPerSecond === undefined ? '' : ` or ≥ ${row.orPerSecond} a second`;
  return `${wanted}${or} ${reached ? '✓' : '✗'}`;
}

const RATIO_COLUMNS = [
  ['work / floor', ({ name }) => name],
  ['per second', ({ perSecond, unit }) => `${perSecond.toFixed(0)} ${unit}`],
  number('floor', ({ floorPerSecond }) => floorPerSecond),
  number('ratio', ({ ratio }) => ratio, 2),
  spread(2),
  ['target', targetText],
  number('p50 ms', ({ p50Ms }) => p50Ms, 1),
  number('p99 ms', ({ p99Ms }) => p99Ms, 1),
  number('service CPU µs', ({ serviceCpuMicros }) => serviceCpuMicros),
  number('PostgreSQL CPU µs', ({ postgresCpuMicros }) => postgresCpuMicros),
  number('WAL bytes', ({ walBytes }) => walBytes),
  number('worker RSS MB', ({ workerRssMb }) => workerRssMb),
];

const FLOOR_COLUMNS = [
  ['floor', ({ name }) => name],
  number('per second', ({ perSecond }) => perSecond),
  spread(0),
];

const OPEN_LOOP_COLUMNS = [
  ['open loop', ({ name }) => name],
  number('per second', ({ perSecond }) => perSecond),
  number('p50 ms', ({ p50Ms }) => p50Ms, 2),
  number('p99 ms', ({ p99Ms }) => p99Ms, 2),
  spread(2),
];

const LIMIT_COLUMNS = [
  ['measured', ({ name }) => name],
  ['value', ({ value, unit }) => `${value.toFixed(2)} ${unit}`],
  spread(2),
  ['target', targetText],
];

const GROWTH_COLUMNS = [
  ['work / floor', ({ name }) => name],
  ['per second', ({ perSecond, unit }) => `${perSecond.toFixed(0)} ${unit}`],
  ['stored at the end', ({ stored }) => `${(stored / 1e6).toFixed(2)} million`],
  number('ratio in round 1', ({ first }) => first, 2),
  ['ratio of each round to round 1', ({ rounds }) => rounds.map((ratio) => ratio.toFixed(2)).join(' ')],
  [
    'last round to first, fitted',
    ({ last, error }) => `${last.toFixed(2)}${Number.isFinite(error) ? ` ± ${error.toFixed(2)}` : ''}`,
  ],
  ['target', targetText],
  number('CPU, last round to first, fitted', ({ cpuLast }) => cpuLast, 2),
  ['WAL bytes in each round', ({ walBytes }) => walBytes.map((bytes) => bytes.toFixed(0)).join(' ')],
  [
    'of PostgreSQL’s CPU µs, checkpoints and vacuum',
    ({ upkeepCpuMicros }) => upkeepCpuMicros.map((micros) => micros.toFixed(1)).join(' '),
  ],
];

/** Markdown tables of one section. */
export function formatTables({ ratios, floors, openLoops, limits, growth }) {
  return [
    [RATIO_COLUMNS, ratios],
    [GROWTH_COLUMNS, growth],
    [LIMIT_COLUMNS, limits],
    [OPEN_LOOP_COLUMNS, openLoops],
    [FLOOR_COLUMNS, floors],
  ]
    .filter(([, rows]) => rows.length > 0)
    .map(([columns, rows]) => table(columns, rows))
    .join('\n\n');
}

function table(columns, rows) {
  const lines = [columns.map(([title]) => title), columns.map(() => '---')];
  for (const row of rows) lines.push(columns.map(([, cell]) => cell(row)));
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
