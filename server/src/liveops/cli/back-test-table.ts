import { EVALUATED_PARTS } from '../../decide/decide/evaluated-parts.js';
import { idOf } from '../../decide/document/document-part.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import type { BackTestResult, DayEffects } from '../back-tests/back-test-report.js';
import type { Matches } from '../back-tests/match-tally.js';

/** A back-test as lines for a terminal: who would have matched, day by day, and purchases; below each what it does not say. */
export function backTestLines(result: BackTestResult): string[] {
  const { players, examined, sampled, from, to, playerDays, seconds, completeSince, cannotKnow } = result;
  const whom = sampled
    ? `A sample of ${grouped(examined)} of ${grouped(players)} players who were here since then`
    : `All ${grouped(players)} players who were here since then`;
  return [
    `From ${from} to ${to}. ${whom}, ${grouped(playerDays)} days of players, in ${seconds.toFixed(1)} s.`,
    ...(completeSince === null
      ? []
      : [`Events before ${completeSince} are deleted: what players did until then is not known.`]),
    ...matchLines(result),
    '',
    ...dayLines(result.days),
    cannotKnow.matches,
    '',
    ...purchaseLines(result),
  ];
}

function matchLines(result: BackTestResult): string[] {
  // Flags last: most changes are about the others.
  const [flags, ...others] = EVALUATED_PARTS;
  return [...others, flags].flatMap(({ part }) => {
    const rows = result[part.name].map((entry) => [idOf(part, entry), ...cellsOf(entry)]);
    if (rows.length === 0) return [];
    const names = [part.noun, 'players before', 'after', 'days before', 'after'];
    return ['', ...tableLines([names, ...rows], (column) => column > 0)];
  });
}

function cellsOf({ players, playerDays }: Matches): string[] {
  return [players.before, players.after, playerDays.before, playerDays.after].map(grouped);
}

function dayLines(days: readonly DayEffects[]): string[] {
  const rows = days.map(({ day, version, players, priced }) => [
    day,
    ...[version, players, priced.players, priced.payLess, priced.payMore].map(grouped),
  ]);
  const names = ['day', 'version', 'players', 'other prices', 'pay less', 'pay more'];
  return [...tableLines([names, ...rows], (column) => column > 0), ''];
}

function purchaseLines({ purchases, cannotKnow }: BackTestResult): string[] {
  if (purchases.count === 0) return ['The examined players bought nothing in these days.'];
  const rows = purchases.skus.map((sku) => [
    sku.skuId,
    ...[sku.purchases, sku.same, sku.lower, sku.higher, sku.notInStore, sku.otherCurrency].map(grouped),
    `${sku.comparedPaid} ${sku.currency}`,
    `${sku.comparedPrice} ${sku.currency}`,
  ]);
  const outcomes = ['same price', 'lower', 'higher', 'not in store', 'other currency'];
  const names = ['bought', 'purchases', ...outcomes, 'paid', 'would have cost'];
  return [
    ...tableLines([names, ...rows], (column) => column > 0),
    '',
    cannotKnow.prices,
    cannotKnow.purchases,
  ];
}
