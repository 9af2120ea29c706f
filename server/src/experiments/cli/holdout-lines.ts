import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import { type Comparison, type Difference, FEWEST, type ReportedComparison } from '../holdouts/comparison.js';

type Shown = Comparison & { from: string; to: string; holdoutPercent: number };

/** The groups side by side, then what they differ by. */
export function holdoutLines(comparison: Shown | undefined): string[] {
  if (comparison === undefined) {
    return [
      'Nothing has been compared. Publish a store with holdoutPercent above 0; the service compares once a day, from the first whole UTC day on.',
    ];
  }
  const { from, to, holdoutPercent, heldOut, targeted, sampleRatio } = comparison;
  const { conversion, revenuePerPlayer, reported } = comparison;
  const currencies = Object.keys(revenuePerPlayer);
  const groups = tableLines(
    [
      ['', 'players', 'payers', 'conversion', ...currencies.map((currency) => `${currency} per player`)],
      ...(
        [
          ['held out', heldOut],
          ['targeted', targeted],
        ] as const
      ).map(([name, group]) => [
        name,
        grouped(group.players),
        grouped(group.payers),
        group.conversion === null ? '–' : percent(group.conversion),
        ...currencies.map((currency) => (group.revenuePerPlayer[currency] ?? 0).toFixed(4)),
      ]),
    ],
    (column) => column > 0,
  );
  return [
    `${from} to ${to} (UTC), ${holdoutPercent}% held out. Targeted less held out, with 95% intervals that may be looked at every day:`,
    ...(sampleRatio.isMismatch ? [MISMATCH] : []),
    ...groups,
    `conversion: ${describe(conversion, percent)}`,
    ...currencies.map((currency) => {
      const difference = revenuePerPlayer[currency];
      return difference === undefined ? '' : `${currency} per player: ${describe(difference, money)}`;
    }),
    ...(reported === null ? [] : reportedLines(reported)),
  ];
}

/** All currencies in the reporting currency. */
function reportedLines({ currency, targeted, heldOut, difference, missing }: ReportedComparison): string[] {
  const means = [targeted, heldOut].map((mean) => (mean === null ? '–' : money(mean)));
  return [
    `all revenue in ${currency} per player: targeted ${means[0]}, held out ${means[1]}, difference ${describe(difference, money)}`,
    ...(missing.length === 0
      ? []
      : [`  without some payments in ${missing.join(', ')}: no rate on their day`]),
  ];
}

function money(value: number): string {
  return value.toFixed(4);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}

const MISMATCH =
  'The groups do not have as many players as the share says. Usually events or logins of one group get lost, so the groups differ by more than targeting.';

const STATES: Readonly<Record<Difference['state'], string>> = {
  higher: 'targeted players have more',
  lower: 'targeted players have less',
  no_difference_seen: 'not proven, it may be chance',
  too_few: `too few to tell (at least ${FEWEST.players} players and ${FEWEST.payers} payers in each group)`,
  sample_ratio_mismatch: 'no verdict, the groups cannot be compared',
};

function describe(
  { difference, interval, state, capped }: Difference,
  format: (value: number) => string,
): string {
  const range = interval === null ? '' : ` [${format(interval.low)}, ${format(interval.high)}]`;
  const cap =
    capped === null ? '' : ` (${capped.players} who spent more than ${format(capped.at)} count as that)`;
  return `${format(difference)}${range}: ${STATES[state]}${cap}`;
}
