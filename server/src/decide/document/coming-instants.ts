import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { DOCUMENT_REGISTRY } from './document.js';
import { type EntryBoundary, entriesOf, entryName, idOf, partOf } from './document-part.js';
import type { DocumentRegistry } from './document-registry.js';
import { CALENDAR_SETTINGS, type CalendarSettings, DEFAULT_STUDIO_ZONE } from './parts/calendar.js';

/** An instant at which something of a document begins or ends. */
export type ComingInstant = Readonly<{
  atMs: number;
  /** The entries, such as `offer:weekend`. */
  begins: readonly string[];
  ends: readonly string[];
}>;

export type ComingInstants = Readonly<{
  /** In order, each of them once. */
  instants: readonly ComingInstant[];
  /** Instants that were left out because there are more than the limit. Null: none. */
  leftOut: LeftOut | null;
}>;

export type LeftOut = Readonly<{ instants: number; firstAtMs: number }>;

/** Every instant costs a decision for each player of a dry run. More than this many lie ahead in a long calendar only. */
export const MAX_COMING_INSTANTS = 12;

type Options = Readonly<{
  /**
   * The entries that a publication changes, by their paths in the difference: `offers/weekend`. If there are too many instants,
   * those of changed entries come first.
   */
  changed?: ReadonlySet<string>;
  limit?: number;
  registry?: DocumentRegistry;
}>;

/** The instants after now at which something of the documents begins or ends. */
export function comingInstants(
  documents: readonly unknown[],
  nowMs: number,
  { changed = NONE, limit = MAX_COMING_INSTANTS, registry = DOCUMENT_REGISTRY }: Options = {},
): ComingInstants {
  const found = boundariesAfter(documents, nowMs, changed, registry);
  found.sort((one, other) => one.rank - other.rank || one.atMs - other.atMs);
  const leftOut = found.slice(limit).map(({ atMs }) => atMs);
  return {
    instants: found
      .slice(0, limit)
      .sort((one, other) => one.atMs - other.atMs)
      .map(({ atMs, begins, ends }) => ({ atMs, begins: [...begins], ends: [...ends] })),
    leftOut: leftOut.length === 0 ? null : { instants: leftOut.length, firstAtMs: Math.min(...leftOut) },
  };
}

const NONE: ReadonlySet<string> = new Set();

type Found = {
  readonly atMs: number;
  readonly begins: Set<string>;
  readonly ends: Set<string>;
  rank: number;
};

function boundariesAfter(
  documents: readonly unknown[],
  nowMs: number,
  changed: ReadonlySet<string>,
  { lists }: DocumentRegistry,
): Found[] {
  const found = new Map<number, Found>();
  for (const part of lists) {
    if (part.boundariesOf === undefined) continue;
    const entries = documents.flatMap((document) =>
      entriesOf(document, part).map((entry) => ({ entry, studioZone: studioZoneOf(document) })),
    );
    for (const { entry, studioZone } of entries) {
      const id = idOf(part, entry);
      for (const { change, at } of part.boundariesOf(entry, { nowMs, studioZone })) {
        const atMs = parseEventTimestamp(at)?.epochMs;
        if (atMs === undefined || atMs <= nowMs) continue;
        const instant = found.get(atMs) ?? { atMs, begins: new Set(), ends: new Set(), rank: LAST_RANK };
        found.set(atMs, instant);
        instant[change].add(entryName(part, id));
        instant.rank = Math.min(instant.rank, rankOf(change, changed.has(`${part.path}/${id}`)));
      }
    }
  }
  return [...found.values()];
}

function studioZoneOf(document: unknown): string {
  const calendar = partOf(document, CALENDAR_SETTINGS) as CalendarSettings | undefined;
  return calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
}

const LAST_RANK = 3;

/** Changed entries before others, and beginnings before ends: what ends mostly goes back to what players had before. */
function rankOf(change: EntryBoundary['change'], isChanged: boolean): number {
  return (isChanged ? 0 : 2) + (change === 'begins' ? 0 : 1);
}
