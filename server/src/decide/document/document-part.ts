import { type Static, type TArray, type TSchema, Type } from 'typebox';
import { valueAt } from '../../platform/lib/schema-members.js';
import { checkSchedule, type Schedule } from '../schedules/schedule.js';
import { compileSchedule } from '../schedules/windows.js';

/** Takes up what is wrong with a document. */
export type Problems = { add(pointer: string, message: string): void };

/** A rule of an entry, and the member that it stands in or follows from. */
export type EntryRule = Readonly<{ member: string; expression: string }>;

/** An instant, RFC 3339, at which an entry begins or ends. */
export type EntryBoundary = Readonly<{ change: 'begins' | 'ends'; at: string }>;

/** When an entry, or something of it, runs: between its beginning and its end, in the windows of its schedule. */
export type EntryTimes = Readonly<{
  from: string | null;
  until: string | null;
  schedule?: Schedule | undefined;
  /** Which of several times of the entry: `rule 2`. */
  label?: string;
}>;

/** After which instant boundaries are wanted, and the zone of the studio. */
export type BoundaryContext = Readonly<{ nowMs: number; studioZone: string }>;

type PartBase = Readonly<{
  /** Where it stands: `segments`, `flags/custom`. Changes of a document are named by it. */
  path: string;
}>;

/** A part that is one object, such as the settings of the store. */
export type ObjectPart = PartBase &
  Readonly<{ kind: 'object' /** If it is left out. */; defaultValue?: unknown }>;

type ListBase = PartBase &
  Readonly<{
    /** What it is called in limits and results, such as those of a dry run: `offers`. */
    name: string;
    /** One entry in sentences: `SKU`. In lower case it begins the name of an entry: `sku:gems_80`. */
    noun: string;
    /** All entries in sentences: `SKUs`. */
    title: string;
    /** The member that names an entry. Ids are unique within the part. */
    idMember: string;
    /** How many entries there may be. */
    limit: number;
  }>;

type EntryFunctions<Entry> = {
  /** The rules of an entry; left out if entries have none. */
  rulesOf?(entry: Entry): readonly EntryRule[];
  /** When an entry runs; left out if entries have no times. The calendar shows it. */
  timesOf?(entry: Entry): readonly EntryTimes[];
  /** When an entry begins and ends: follows from its times, unless said otherwise. Dry runs and publications look at these instants. */
  boundariesOf?(entry: Entry, context: BoundaryContext): readonly EntryBoundary[];
  /** What must be right within one entry, besides its schema. What concerns several entries is in `validate`. */
  check?(entry: Entry, pointer: string, problems: Problems): void;
};

/**
 * A part that is a list of entries with ids. The functions are methods so that a list of parts can have parts of different
 * entries: whoever calls them takes the entry from the part itself.
 */
export type ListPart<Entry = unknown> = ListBase &
  Readonly<EntryFunctions<Entry>> &
  Readonly<{ kind: 'list' }>;

export type DocumentPart = ListPart | ObjectPart;

/** The types know the name and the id member of each part, so that results by part have exact types. */
export function listPart<Schema extends TSchema, Name extends string, IdMember extends string>(
  definition: ListBase &
    Readonly<{ name: Name; idMember: IdMember; entry: Schema }> &
    Readonly<EntryFunctions<Static<Schema>>>,
): ListPart<Static<Schema>> & Readonly<{ name: Name; idMember: IdMember; schema: TArray<Schema> }> {
  const schema = Type.Array(definition.entry, { maxItems: definition.limit });
  const { timesOf } = definition;
  const byTimes: Pick<EntryFunctions<Static<Schema>>, 'boundariesOf'> = timesOf === undefined
    ? {}
    : {
        boundariesOf: (entry, context) =>
          timesOf(entry).flatMap((times) => scheduleBoundaries(times, context)),
      };
  return { ...byTimes, ...definition, kind: 'list', schema };
}

function scheduleBoundaries(times: EntryTimes, context: BoundaryContext): EntryBoundary[] {
  const { from, until } = times;
  return [
    ...(from === null ? [] : [{ change: 'begins', at: from } as const]),
    ...(until === null ? [] : [{ change: 'ends', at: until } as const]),
    ...windowBoundaries(times, context),
  ];
}

/** What must be right within the schedule of an entry. Pointer: that of what has the schedule. */
export function checkScheduleOf(
  { schedule }: Readonly<{ schedule?: Schedule | undefined }>,
  pointer: string,
  problems: Problems,
): void {
  if (schedule !== undefined) checkSchedule(schedule, `${pointer}/schedule`, problems);
}

/** The next opening and the next end of a window. Windows in the player's zone stand for all zones by that of the studio. */
function windowBoundaries(
  { from, until, schedule }: EntryTimes,
  { nowMs, studioZone }: BoundaryContext,
): EntryBoundary[] {
  if (schedule === undefined) return [];
  const { zone, stateAt } = compileSchedule(schedule, studioZone);
  const first = Math.max(nowMs, from === null ? nowMs : Date.parse(from));
  const last = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  const boundaries: EntryBoundary[] = [];
  let state = stateAt(first, zone ?? studioZone);
  while (boundaries.length < 2 && state.until < last) {
    const change = state.window === null ? 'begins' : 'ends';
    boundaries.push({ change, at: new Date(state.until).toISOString() });
    state = stateAt(state.until, zone ?? studioZone);
  }
  return boundaries;
}

export function partOf(document: unknown, part: DocumentPart): unknown {
  const found = valueAt(document, `/${part.path}`);
  return found === undefined && part.kind === 'object' ? part.defaultValue : found;
}

/** The entries of a document that has the right shape; none if the part is left out. */
export function entriesOf<Entry>(document: unknown, part: ListPart<Entry>): readonly Entry[] {
  return (partOf(document, part) as readonly Entry[] | undefined) ?? [];
}

export function idOf({ idMember }: Pick<ListPart, 'idMember'>, entry: unknown): string {
  return (entry as Readonly<Record<string, string>>)[idMember] ?? '';
}

/** `sku:gems_80`: tells entries of all parts apart. */
export function entryName({ noun }: Pick<ListPart, 'noun'>, id: string): string {
  return `${noun.toLowerCase()}:${id}`;
}
