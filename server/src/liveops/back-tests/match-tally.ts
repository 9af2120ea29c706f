import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { EVALUATED_PARTS } from '../../decide/decide/evaluated-parts.js';
import { entryName } from '../../decide/document/document-part.js';
import type { Evaluation } from '../evaluations/evaluate-player.js';

/** Of how many examined players an entry was true on at least one day, and on how many days of players altogether. */
export type Matches = Readonly<{
  players: Readonly<{ before: number; after: number }>;
  playerDays: Readonly<{ before: number; after: number }>;
}>;

type Evaluated = (typeof EVALUATED_PARTS)[number]['part'];

/** By part: `segments: [{ segmentId, players, playerDays }]`. */
export type PartMatches = Readonly<{
  [Part in Evaluated as Part['name']]: readonly (Readonly<Record<Part['idMember'], string>> & Matches)[];
}>;

type Side = 'before' | 'after';
type Counts = { players: Record<Side, number>; playerDays: Record<Side, number> };
/** The entries that were true of a player on one of the days so far. */
type Seen = Record<Side, Set<string>>;

/** Counts matches over all days. All days of a player come between two calls of `forgetPlayers`. */
export class MatchTally {
  readonly #counts = new Map<string, Counts>();
  #seen = new Map<string, Seen>();

  /** `unchanged`: entries that are the same under both documents, and were evaluated under the new one only. */
  add(playerId: string, before: Evaluation, after: Evaluation, unchanged: ReadonlySet<string>): void {
    const seen = this.#seen.get(playerId) ?? { before: new Set(), after: new Set() };
    this.#seen.set(playerId, seen);
    for (const { part } of EVALUATED_PARTS) {
      for (const id of after[part.name]) {
        const name = entryName(part, id);
        this.#count(name, 'after', seen);
        if (unchanged.has(name)) this.#count(name, 'before', seen);
      }
      for (const id of before[part.name]) {
        const name = entryName(part, id);
        if (!unchanged.has(name)) this.#count(name, 'before', seen);
      }
    }
  }

  forgetPlayers(): void {
    this.#seen = new Map();
  }

  /** The entries of the documents, those of the new one first. */
  matches(documents: readonly CompiledDocument[]): PartMatches {
    const parts = EVALUATED_PARTS.map(({ part, entriesOf }): [string, unknown] => {
      const ids = new Set(documents.flatMap((document) => entriesOf(document).map(({ id }) => id)));
      return [
        part.name,
        [...ids].map((id) => ({
          [part.idMember]: id,
          ...(this.#counts.get(entryName(part, id)) ?? noCounts()),
        })),
      ];
    });
    return Object.fromEntries(parts) as PartMatches;
  }

  #count(name: string, side: Side, seen: Seen): void {
    const counts = this.#counts.get(name) ?? noCounts();
    this.#counts.set(name, counts);
    counts.playerDays[side]++;
    if (seen[side].has(name)) return;
    seen[side].add(name);
    counts.players[side]++;
  }
}

function noCounts(): Counts {
  return { players: { before: 0, after: 0 }, playerDays: { before: 0, after: 0 } };
}
