import type { Schemas } from '../../api/client.js';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { type MoreRows, moreOf } from '../../parts/DataTable.js';

type Pin = Schemas['Pin'];

/** The pins of a player of one kind: those in force by what they pin, and the former ones. */
export function usePins(
  playerId: string,
  kind: Pin['kind'],
): { inForce: ReadonlyMap<string, Pin>; former: readonly Pin[]; more: MoreRows } {
  const { game } = useStudioAndGame();
  const pins = usePages('listPins', { params: { game, playerId } });
  const all = pins.data?.pages.flatMap((page) => page.pins).filter((pin) => pin.kind === kind) ?? [];
  return {
    // Those in force come first, so the first page has all of them.
    inForce: new Map(all.filter(({ state }) => state === 'in_force').map((pin) => [pin.target, pin])),
    former: all.filter(({ state }) => state !== 'in_force'),
    more: moreOf(pins),
  };
}
