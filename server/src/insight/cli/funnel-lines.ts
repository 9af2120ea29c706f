import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import type { FunnelResult, FunnelValue } from '../analytics/funnels/funnel-tally.js';

const NAMES = { unknown: '(unknown)', other: '(all others)' } as const;

/** Each step with how many players completed it, of all who entered and of those before; then the same by value. */
export function funnelLines(steps: readonly string[], { players, values }: FunnelResult): string[] {
  if ((players[0] ?? 0) === 0) return [`No player has sent ${printable(steps[0] ?? '')} in this time.`];
  const rows = steps.map((step, index) => [
    `${index + 1}. ${printable(step)}`,
    grouped(players[index] ?? 0),
    shareOf(players[index], players[0]),
    index === 0 ? '' : shareOf(players[index], players[index - 1]),
  ]);
  const byStep = tableLines(
    [['step', 'players', 'of all', 'of the step before'], ...rows],
    (column) => column > 0,
  );
  if (values.length === 0) return byStep;
  const byValue = values.map((value) => [
    nameOf(value),
    ...value.players.map(grouped),
    shareOf(value.players.at(-1), value.players[0]),
  ]);
  const names = ['', ...steps.map((_, index) => `step ${index + 1}`), 'completed'];
  return [...byStep, '', ...tableLines([names, ...byValue], (column) => column > 0)];
}

function nameOf({ kind, value }: FunnelValue): string {
  return kind === 'value' ? printable(value) : NAMES[kind];
}

function shareOf(part = 0, whole = 0): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
}
