import { EVALUATED_PARTS } from '../../decide/decide/evaluated-parts.js';
import { idOf } from '../../decide/document/document-part.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import type { DryRunResult, LaterEffects } from '../dry-runs/dry-run.js';
import type { Effects, PartEffect } from '../dry-runs/dry-run-report.js';
import type { ShownPrice } from '../dry-runs/price-tally.js';
import type { RevenueShares } from '../evaluations/spend-sum.js';

const COLUMNS = ['before', 'after', 'enter', 'leave', 'stay', 'payers'] as const;

type Row = readonly [id: string, effect: PartEffect];

/** A dry run as lines for a terminal: a table for each kind of thing, examples and failing rules below, then the later instants. */
export function dryRunLines(result: DryRunResult): string[] {
  const { players, examined, sampled, at, seconds } = result;
  const whom = sampled
    ? `A sample of ${grouped(examined)} of ${grouped(players)} players: the numbers are estimates for all of them`
    : `All ${grouped(players)} players`;
  return [
    `${whom}, at ${at}, in ${seconds.toFixed(1)} s.`,
    ...effectLines(result),
    ...result.later.flatMap(laterLines),
    ...leftOutLines(result),
    ...result.notes,
  ];
}

function effectLines(effects: Effects): string[] {
  // Flags last: most changes are about the others.
  const [flags, ...others] = EVALUATED_PARTS;
  const tables = [...others, flags].map(({ part }): [string, Row[]] => [
    part.noun,
    effects[part.name].map((entry) => [idOf(part, entry), entry]),
  ]);
  return [
    ...tables.flatMap(([kind, rows]) => (rows.length === 0 ? [] : ['', ...table(kind, rows)])),
    ...prices(effects),
    ...examples(tables.flatMap(([, rows]) => rows)),
    ...effects.ruleErrors.map(
      ({ part, before, after }) =>
        `The rule of ${part} fails for ${grouped(after)} of the players examined (${grouped(before)} as published).`,
    ),
  ];
}

function laterLines(later: LaterEffects): string[] {
  const { at, begins, ends, priced } = later;
  const why = [...begins.map((name) => `${name} begins`), ...ends.map((name) => `${name} ends`)];
  const heading = `From ${utcTime(at)} (${why.join(', ')})`;
  const isSame = EVALUATED_PARTS.every(({ part }) => later[part.name].length === 0);
  if (isSame && priced.players === 0) return [`${heading}: no player sees a difference.`, ''];
  const { players, payLess, payMore } = priced;
  const what = `${grouped(players)} players see other prices, ${grouped(payLess)} pay less, ${grouped(payMore)} pay more.`;
  return [`${heading}: ${what}`, ...effectLines(later)];
}

function leftOutLines({ leftOut }: DryRunResult): string[] {
  if (leftOut === null) return [];
  const { instants, firstAt } = leftOut;
  return [
    `${grouped(instants)} more times at which something begins or ends were not looked at, the first at ${firstAt}. --at decides for one of them.`,
  ];
}

/** `Sat 21 Nov 2026, 00:00 UTC` */
function utcTime(at: string): string {
  const [weekday, day, month, year, time] = new Date(at).toUTCString().split(/,? /);
  return `${weekday} ${day} ${month} ${year}, ${time?.slice(0, 5)} UTC`;
}

function table(kind: string, rows: readonly Row[]): string[] {
  const cells = rows.map(([id, { counts, estimate, ...shares }]) => [
    id,
    ...COLUMNS.map((column) => grouped((estimate ?? counts)[column])),
    sharesText(shares),
  ]);
  return tableLines([[kind, ...COLUMNS, 'revenue'], ...cells], isBetweenTexts);
}

/** `12.5% (without CHF: no rate)` in the reporting currency, or `25.0% EUR, 10.0% USD` as it was paid. */
function sharesText({ revenueShare, reportedRevenueShare: reported }: RevenueShares): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  if (reported !== null) {
    const { share, missing } = reported;
    return `${percent(share)}${missing.length === 0 ? '' : ` (without ${missing.join(', ')}: no rate)`}`;
  }
  return Object.entries(revenueShare)
    .map(([currency, share]) => `${percent(share)} ${currency}`)
    .join(', ');
}

function prices({ prices: changes }: Effects): string[] {
  if (changes.length === 0) return [];
  const shown = (price: ShownPrice | null) => (price === null ? '–' : `${price.price} ${price.currency}`);
  const cells = changes.map(({ skuId, from, to, players, estimate }) => [
    skuId,
    shown(from),
    shown(to),
    grouped(estimate ?? players),
  ]);
  return ['', ...tableLines([['price of', 'before', 'after', 'players'], ...cells], isBetweenTexts)];
}

function examples(rows: readonly Row[]): string[] {
  const lines = rows.flatMap(([id, effect]) =>
    (['enter', 'leave'] as const).flatMap((way) =>
      effect.examples[way].length === 0 ? [] : [`  ${way} ${id}: ${effect.examples[way].join(' ')}`],
    ),
  );
  return lines.length === 0 ? [''] : ['', 'Some of those who', ...lines, ''];
}
