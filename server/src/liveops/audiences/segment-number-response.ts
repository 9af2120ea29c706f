import type { SegmentEntry } from '../../decide/document/parts/segments.js';
import { csvRow, numberCell } from '../../platform/lib/csv-writer.js';
import { escapeFormulas } from '../../platform/lib/spreadsheet-formulas.js';
import { perActivePlayer, perPayer, shareOf, withMeans } from '../../studio/money/ratios.js';
import { RevenueColumns } from '../../studio/money/revenue-columns.js';
import type { GroupNumbers } from './group-sums.js';
import type { SegmentNumbers } from './segment-numbers.js';

/** The numbers of each segment as the admin API tells them, with what follows from them. */
export function segmentNumbersResponse(
  { all, segments }: SegmentNumbers,
  published: readonly SegmentEntry[],
) {
  return {
    all: withRatios(all),
    segments:
      segments === null
        ? null
        : published.flatMap(({ segmentId, name }) => {
            const numbers = segments.get(segmentId);
            return numbers === undefined ? [] : [{ segmentId, name, ...withRatios(numbers) }];
          }),
  };
}

function withRatios(numbers: GroupNumbers) {
  const { activePlayers, payingPlayers, revenue, reported } = numbers;
  const divisors = { active: activePlayers, paying: payingPlayers };
  return {
    ...numbers,
    conversion: shareOf(payingPlayers, activePlayers),
    revenuePerActivePlayer: perActivePlayer(revenue, divisors),
    revenuePerPayingPlayer: perPayer(revenue, divisors),
    reported: reported && withMeans(reported, divisors),
  };
}

const COUNTS = ['players', 'activePlayers', 'payingPlayers', 'conversion', 'purchases'] as const;

/** A row for each segment, then one for all players, with columns for each currency. */
export function segmentNumbersToCsv({ all, segments }: ReturnType<typeof segmentNumbersResponse>): string {
  const money = new RevenueColumns([all]);
  const names = csvRow(['segmentId', 'name', ...COUNTS, ...money.names]);
  const rows = [...(segments ?? []), { segmentId: null, name: 'all players', ...all }].map((row) =>
    csvRow([
      row.segmentId,
      escapeFormulas(row.name),
      ...COUNTS.map((name) => numberCell(row[name])),
      ...money.cells(row, { active: row.activePlayers, paying: row.payingPlayers }),
    ]),
  );
  return [names, ...rows].join('');
}
