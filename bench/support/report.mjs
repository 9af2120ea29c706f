/** Medians over the rounds, with the spread of the ratio. */
export function summarise(samples) {
  const names = [...new Set(samples.map(({ name }) => name))];
  return names.map((name) => {
    const own = samples.filter((sample) => sample.name === name);
    const median = (pick) => middle(own.map(pick).filter((value) => Number.isFinite(value)));
    const ratios = own.map(({ ratio }) => ratio);
    return {
      name,
      target: own[0]?.target,
      perSecond: median(({ work }) => work.perSecond),
      floorPerSecond: median(({ floor }) => floor.perSecond),
      ratio: median(({ ratio }) => ratio),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
      p50Ms: median(({ work }) => work.p50Ms),
      p99Ms: median(({ work }) => work.p99Ms),
      cpuMicros: median(({ work }) => work.cpuMicros),
      walBytes: median(({ work }) => work.walBytes),
      workerRssMb: median(({ work }) => work.workerRssMb),
    };
  });
}

function middle(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const COLUMNS = [
  ['work / floor', ({ name }) => name],
  ['per second', ({ perSecond }) => perSecond.toFixed(0)],
  ['floor', ({ floorPerSecond }) => floorPerSecond.toFixed(0)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
  ['spread', ({ lowest, highest }) => `${lowest.toFixed(2)}–${highest.toFixed(2)}`],
  [
    'target',
    ({ target, ratio }) =>
      target === undefined ? '' : `${target.toFixed(2)} ${ratio >= target ? '✓' : '✗'}`,
  ],
  ['p50 ms', ({ p50Ms }) => p50Ms.toFixed(1)],
  ['p99 ms', ({ p99Ms }) => p99Ms.toFixed(1)],
  ['CPU µs/req', ({ cpuMicros }) => cpuMicros.toFixed(0)],
  ['WAL B/req', ({ walBytes }) => walBytes.toFixed(0)],
  ['worker RSS MB', ({ workerRssMb }) => workerRssMb.toFixed(0)],
];

/** A Markdown table; paste it into docs/performance.md. */
export function formatTable(rows) {
  const lines = [COLUMNS.map(([title]) => title), COLUMNS.map(() => '---')];
  for (const row of rows) lines.push(COLUMNS.map(([, cell]) => cell(row)));
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
