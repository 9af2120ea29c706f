import type { Interval } from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import type { Change, Reactions, SimulatorModule } from '../../studio/cli/simulator-module.js';
import { tableLines } from '../../studio/cli/table.js';
import type { Report } from '../report/report-types.js';
import { metricTitle } from '../report/words.js';

const NO_CHANGE: Change = { conversion: 1, spend: 1, retention: 1 };

/** What most experiments look at, for arms of which there is no report. */
const USUAL: readonly MetricEntry[] = [
  { kind: 'share', of: 'converted' },
  { kind: 'share', of: 'retained', day: 1 },
  { kind: 'sum', sum: { of: 'revenue', currency: null } },
  { kind: 'ratio', sum: { of: 'revenue', currency: null }, per: { of: 'payers' } },
];

type Shown = Readonly<{
  reactions: Reactions;
  told: Readonly<Record<string, number>>;
  /** Null without one, or where the database cannot be read. */
  report: Report | null;
  trueChange: SimulatorModule['trueChange'];
}>;

/** The truth about each arm, which only a simulation knows, beside what the service says so far. */
export function truthLines({ reactions, told, report, trueChange }: Shown): string[] {
  const { experimentId, changes } = reactions;
  const players = Object.entries(told).map(([variantId, n]) => `${variantId} ${grouped(n)}`);
  const control = report?.arms[0]?.variantId;
  const controlChange = (control === undefined ? undefined : changes[control]) ?? NO_CHANGE;
  const rows =
    report === null
      ? Object.entries(changes).flatMap(([variantId, change]) =>
          USUAL.map((metric) => [
            `${variantId}: ${metricTitle(metric)}`,
            truthOf(trueChange(metric, change, NO_CHANGE)),
            'no report yet',
          ]),
        )
      : report.metrics.flatMap(({ metric, title, arms }) =>
          arms.slice(1).map(({ variantId, comparison }) => {
            const truth = trueChange(metric, changes[variantId] ?? NO_CHANGE, controlChange);
            return [`${variantId}: ${title}`, truthOf(truth), seenOf(comparison, truth)];
          }),
        );
  return [
    `${experimentId}: players who were told an arm: ${players.join(', ') || 'none'}.`,
    ...tableLines([['change', 'truth', 'the service says'], ...rows], (column) => column === 1),
  ];
}

function truthOf(truth: number | undefined): string {
  return truth === undefined ? 'depends' : change(truth);
}

type Seen = Readonly<{ relative: number | null; relativeInterval: Interval | null; state: string }>;

function seenOf(comparison: Seen | null, truth: number | undefined): string {
  if (comparison === null || comparison.relative === null || comparison.relativeInterval === null)
    return 'no interval yet';
  const { low, high } = comparison.relativeInterval;
  const covers =
    truth === undefined ? '' : truth >= low && truth <= high ? ', covers the truth' : ', MISSES the truth';
  return `${change(comparison.relative)} [${change(low)}, ${change(high)}], ${comparison.state}${covers}`;
}

/** `+12.5%`. */
function change(value: number): string {
  const percent = Math.round(value * 1000) / 10;
  return `${percent > 0 ? '+' : ''}${percent}%`;
}
