import type { Sample } from './samples.js';
import type { Finding } from './verdict.js';

/** Something that happened meanwhile, such as a restart. */
export type Mark = Readonly<{ seconds: number; name: string }>;

type Series = Readonly<{ name: string; values: readonly (number | undefined)[] }>;
type Panel = Readonly<{ title: string; series: readonly Series[] }>;

const WIDTH = 960;
const PLOT = { left: 70, width: 620, height: 130, gap: 58, top: 60 };
const LINE_PX = 18;
const SHOWN = 7;
const COLOURS = ['#1f6feb', '#c2410c', '#15803d', '#7c3aed', '#b45309', '#0e7490', '#be185d'];

/** Everything that was measured over time, with the verdict below it. */
export function drawSoak(
  title: string,
  samples: readonly Sample[],
  marks: readonly Mark[],
  findings: readonly Finding[],
): string {
  const panels: Panel[] = [
    { title: 'Own memory of each process, MB', series: seriesOf(samples, ({ memory }) => memory) },
    { title: 'Largest tables, MB', series: seriesOf(samples, ({ sizes }) => sizes) },
    {
      title: 'Dead rows',
      series: seriesOf(samples, ({ rows }) =>
        Object.fromEntries(Object.entries(rows).map(([name, { dead }]) => [name, dead])),
      ),
    },
    {
      title: 'p99 of players who send a few events, ms',
      series: [{ name: 'p99', values: samples.map(({ p99 }) => p99) }],
    },
  ];
  const textTop = PLOT.top + panels.length * (PLOT.height + PLOT.gap);
  const height = textTop + (findings.length + 1) * LINE_PX;
  const words = findings.map(
    ({ isGood, sentence }, line) =>
      `<text x="20" y="${textTop + line * LINE_PX}" fill="${isGood ? '#1f2328' : '#b91c1c'}">${isGood ? '✓' : '✗'} ${escapeXml(sentence)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12" fill="#1f2328" role="img" aria-label="${escapeXml(title)}">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="20" y="24" font-size="15" font-weight="bold">${escapeXml(title)}</text>`,
    ...panels.flatMap((panel, index) =>
      drawPanel(panel, samples, marks, PLOT.top + index * (PLOT.height + PLOT.gap)),
    ),
    ...words,
    '</svg>',
    '',
  ].join('\n');
}

/** The largest ones at the end, each over time. */
function seriesOf(samples: readonly Sample[], read: (sample: Sample) => Record<string, number>): Series[] {
  const names = new Set(samples.flatMap((sample) => Object.keys(read(sample))));
  const largest = (name: string) => Math.max(...samples.map((sample) => read(sample)[name] ?? 0));
  return [...names]
    .sort((a, b) => largest(b) - largest(a))
    .slice(0, SHOWN)
    .map((name) => ({ name, values: samples.map((sample) => read(sample)[name]) }));
}

function drawPanel(
  { title, series }: Panel,
  samples: readonly Sample[],
  marks: readonly Mark[],
  top: number,
): string[] {
  const last = Math.max(1, samples.at(-1)?.seconds ?? 1);
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const bottom = top + PLOT.height;
  const x = (seconds: number) => (PLOT.left + (PLOT.width * seconds) / last).toFixed(1);
  const y = (value: number) => (bottom - (PLOT.height * value) / most).toFixed(1);
  const grid = [0, 0.5, 1].flatMap((share) => [
    `<line x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y(share * most)}" y2="${y(share * most)}" stroke="#d0d7de"/>`,
    `<text x="${PLOT.left - 6}" y="${Number(y(share * most)) + 4}" text-anchor="end">${shortNumber(share * most)}</text>`,
    `<text x="${x(share * last)}" y="${bottom + 16}" text-anchor="middle">${((share * last) / 60).toFixed(1)} min</text>`,
  ]);
  const restarts = marks.map(
    ({ seconds, name }) =>
      `<line x1="${x(seconds)}" x2="${x(seconds)}" y1="${top}" y2="${bottom}" stroke="#8b949e" stroke-dasharray="2 3"><title>${escapeXml(name)}</title></line>`,
  );
  const lines = series.flatMap(({ name, values }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const points = values.flatMap((value, n) =>
      value === undefined ? [] : [`${x(samples[n]?.seconds ?? 0)},${y(value)}`],
    );
    const legendY = top + 10 + index * LINE_PX;
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      `<rect x="${PLOT.left + PLOT.width + 16}" y="${legendY - 8}" width="10" height="10" fill="${colour}"/>`,
      `<text x="${PLOT.left + PLOT.width + 32}" y="${legendY + 1}">${escapeXml(name)}</text>`,
    ];
  });
  return [
    `<text x="${PLOT.left}" y="${top - 8}" font-weight="bold">${escapeXml(title)}</text>`,
    ...grid,
    ...restarts,
    ...lines,
  ];
}

function shortNumber(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
