import { middle } from './statistics.mjs';

/** Medians over the rounds, with the spread of the ratio. */
export function summarise(samples) {
  return groups(samples, ({ name, floorName }) => `${name} / ${floorName}`).map(([name, own]) => {
    const median = (pick) => middle(own.map(pick));
    const ratios = own.map(({ ratio }) => ratio);
    return {
      name,
      unit: own[0].unit,
      target: own[0].target,
      perSecond: median(({ work }) => work.perSecond),
      floorPerSecond: median(({ floor }) => floor.perSecond),
      ratio: median(({ ratio }) => ratio),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
      p50Ms: median(({ work }) => work.p50Ms),
      p99Ms: median(({ work }) => work.p99Ms),
      serviceCpuMicros: median(({ work }) => work.serviceCpuMicros),
      postgresCpuMicros: median(({ work }) => work.postgresCpuMicros),
      walBytes: median(({ work }) => work.walBytes),
      workerRssMb: median(({ work }) => work.workerRssMb),
    };
  });
}

export function summariseFloors(floors) {
  return groups(floors, ({ name }) => name).map(([name, own]) => {
    const rates = own.map(({ perSecond }) => perSecond);
    return { name, perSecond: middle(rates), lowest: Math.min(...rates), highest: Math.max(...rates) };
  });
}

export function summariseOpenLoops(openLoops) {
  return groups(openLoops, ({ name }) => name).map(([name, own]) => ({
    name,
    perSecond: middle(own.map(({ perSecond }) => perSecond)),
    p50Ms: middle(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(own.map(({ p99Ms }) => p99Ms)),
    lowest: Math.min(...own.map(({ p99Ms }) => p99Ms)),
    highest: Math.max(...own.map(({ p99Ms }) => p99Ms)),
  }));
}

export function summariseLimits(limits) {
  return limits.map(({ name, unit, values, limit }) => ({
    name,
    unit,
    limit,
    value: middle(values),
    lowest: Math.min(...values),
    highest: Math.max(...values),
  }));
}

const spread = (digits) => [
  'spread',
  ({ lowest, highest }) => `${lowest.toFixed(digits)}–${highest.toFixed(digits)}`,
];
const number = (title, pick, digits = 0) => [
  title,
  (row) => (Number.isFinite(pick(row)) ? pick(row).toFixed(digits) : ''),
];
const tick = (isReached) => (isReached ? '✓' : '✗');

const RATIO_COLUMNS = [
  ['work / floor', ({ name }) => name],
  ['per second', ({ perSecond, unit }) => `${perSecond.toFixed(0)} ${unit}`],
  number('floor', ({ floorPerSecond }) => floorPerSecond),
  number('ratio', ({ ratio }) => ratio, 2),
  spread(2),
  [
    'target',
    ({ target, ratio }) => (target === undefined ? '' : `≥ ${target.toFixed(2)} ${tick(ratio >= target)}`),
  ],
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
  ['limit', ({ name }) => name],
  ['value', ({ value, unit }) => `${value.toFixed(2)} ${unit}`],
  spread(2),
  [
    'target',
    ({ limit, value }) => (limit === undefined ? '' : `≤ ${limit.toFixed(2)} ${tick(value <= limit)}`),
  ],
];

/** Markdown tables; paste them into docs/performance.md. */
export function formatTables({ ratios, floors, openLoops, limits }) {
  return [
    [RATIO_COLUMNS, ratios],
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

function groups(list, keyOf) {
  const byKey = new Map();
  for (const entry of list) byKey.set(keyOf(entry), [...(byKey.get(keyOf(entry)) ?? []), entry]);
  return [...byKey];
}
