import { type EventFile, fileName, type GameFolder, inFolder } from './manifest.js';
import { COLUMN_NAMES } from './writing/parquet-file.js';

/** A generation of a day that ClickHouse has. Without a digest it is not listed there: an interrupted load, or a former generation. */
export type LoadedFile = Readonly<{ day: string; generation: number; sha256: string }>;

export type ClickHouseLoad = Readonly<{
  game: GameFolder;
  files: readonly EventFile[];
  /** Of the view; two tables have it as the beginning of their names. */
  table: string;
  loaded: readonly LoadedFile[];
  /** Where ClickHouse reads a file, by its name in the folder or bucket. */
  source: (name: string) => string;
}>;

const TYPES: Readonly<Record<(typeof COLUMN_NAMES)[number], string>> = {
  event_id: 'Nullable(String)',
  event_type: 'LowCardinality(String)',
  counted_at: "DateTime64(3, 'UTC')",
  sent_at: "DateTime64(3, 'UTC')",
  received_at: "DateTime64(3, 'UTC')",
  clock_suspect: 'Bool',
  player_key: 'String',
  country: 'LowCardinality(Nullable(String))',
  platform: 'LowCardinality(Nullable(String))',
  build: 'LowCardinality(Nullable(String))',
  transaction_id: 'Nullable(String)',
  sku_id: 'LowCardinality(Nullable(String))',
  price: 'Nullable(Decimal(18, 6))',
  currency: 'LowCardinality(Nullable(String))',
  verified_by: 'LowCardinality(Nullable(String))',
  payload: 'String',
  metadata: 'String',
};

/**
 * Statements that make ClickHouse hold the files of a game, each once, whatever it holds already:
 *
 *   rows of a generation, not visible ──► counted ──► listed, in place of the former one ──► former generations dropped
 *
 * The view shows the generations that are listed. A load that is interrupted anywhere shows the former state of a day or the new one, or hides
 * the day where its rows have to be stored again. The next load goes on from there.
 */
export function clickHouseStatements(load: ClickHouseLoad): string[] {
  const { table, files, loaded } = load;
  const standing = new Map(files.map((file) => [file.day, file]));
  const isListed = ({ day, generation, sha256 }: LoadedFile | EventFile) =>
    loaded.some((other) => other.day === day && other.generation === generation && other.sha256 === sha256);
  const gone = [...new Set(loaded.map(({ day }) => day))].filter((day) => !standing.has(day));
  const former = loaded.filter(({ day, generation }) => standing.get(day)?.generation !== generation);
  const partitions = new Set(former.map((file) => dropStored(table, file)));
  return [
    ...tables(table),
    ...files.filter((file) => !isListed(file)).flatMap((file) => loadFile(load, file)),
    ...gone.map((day) => fill(FORGET_DAY, { table, day })),
    ...partitions,
  ];
}

const COLUMNS = COLUMN_NAMES.map((name) => `${name} ${TYPES[name]}`).join(', ');
const NAMES = COLUMN_NAMES.join(', ');

/** A partition of the second table is a day, so that a day can be forgotten at once. The row that was added last stands. */
const TABLES = [
  `create table if not exists {table}_stored (day Date, generation UInt32, ${COLUMNS}) engine = MergeTree partition by (day, generation) order by (event_type, counted_at)`,
  'create table if not exists {table}_files (day Date, generation UInt32, sha256 String, events UInt64, loaded_at DateTime64(6) default now64(6)) engine = ReplacingMergeTree(loaded_at) partition by day order by day',
  'create view if not exists {table} as select * from {table}_stored where (day, generation) in (select day, generation from {table}_files final)',
];
const DROP = "alter table {table}_stored drop partition ('{day}', {generation})";
const FORGET_DAY = "alter table {table}_files drop partition '{day}'";
const STORE = `insert into {table}_stored (day, generation, ${NAMES}) select toDate('{day}'), {generation}, ${NAMES} from SOURCE`;
const LIST = [
  "select throwIf(count() <> {events}, 'not all events of {day} were read') from {table}_stored where day = '{day}' and generation = {generation} format Null",
  "insert into {table}_files (day, generation, sha256, events) values ('{day}', {generation}, '{sha256}', {events})",
];
const LOADED =
  "select day, generation, sha256 from {table}_files final union all select distinct day, generation, '' from {table}_stored format TSV";

/** A script has no parameters. A value that could end a name or a text is refused. */
function fill(statement: string, values: Readonly<Record<string, unknown>>): string {
  return statement.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name]);
    if (/^[\w.-]*$/.test(value)) return value;
    throw new Error(`"${value}" cannot be a part of a statement`);
  });
}

function tables(table: string): string[] {
  return TABLES.map((statement) => fill(statement, { table }));
}

function loadFile({ table, game, source, loaded }: ClickHouseLoad, file: EventFile): string[] {
  const from = source(inFolder(game, fileName(file.day, file.generation)));
  const values = { table, ...file };
  const shown = loaded.find(({ day, sha256 }) => day === file.day && sha256 !== '');
  const showsAnother = shown !== undefined && shown.generation !== file.generation;
  return [
    // The view may show these rows: this generation with another content, or nobody said what is listed. A day is hidden, and never shown in part.
    ...(showsAnother ? [] : [fill(FORGET_DAY, values)]),
    // What an interrupted load has left.
    dropStored(table, file),
    fill(STORE, values).replace('SOURCE', () => from),
    ...LIST.map((statement) => fill(statement, values)),
  ];
}

function dropStored(table: string, file: LoadedFile | EventFile): string {
  return fill(DROP, { table, ...file });
}

/** What ClickHouse has, as `clickHouseStatements` wants to know it. */
export function loadedQuery(table: string): string {
  return fill(LOADED, { table });
}

/** @throws Error at a line of another form */
export function parseLoaded(text: string): LoadedFile[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, day, generation, sha256] = /^(\d{4}-\d{2}-\d{2})\t(\d+)\t([\da-f]*)$/.exec(line) ?? [];
      if (day === undefined || sha256 === undefined)
        throw new Error(`"${line}" is not a day, a generation and a digest`);
      return { day, generation: Number(generation), sha256 };
    });
}
