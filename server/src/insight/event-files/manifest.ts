/** A file as `event_files` has it. */
export type EventFile = Readonly<{
  gameId: number;
  day: string;
  generation: number;
  file: string;
  events: number;
  bytes: number;
  /** In hex. */
  sha256: string;
  writtenAt: number;
}>;

/** Where the files of a game lie, and by which names it is known. */
export type GameFolder = Readonly<{ gameId: number; tenant: string; game: string }>;

export const MANIFEST = 'manifest.json';
/** Changes when a column is renamed, or means something else. New columns do not change it. */
const FORMAT = 1;

/** A file never changes: what is written later has another name. */
export function fileName(day: string, generation: number): string {
  return `events-${day}-g${generation}.parquet`;
}

export function inFolder({ tenant, game }: GameFolder, file: string): string {
  return `${tenant}/${game}/${file}`;
}

/** The files that stand, in the order of their days. Whoever reads these, and no others, has every event once. */
export function manifestText({ tenant, game }: GameFolder, files: readonly EventFile[]): string {
  const listed = files.map(({ day, generation, file, events, bytes, sha256, writtenAt }) => ({
    ...{ day, generation, file, events, bytes, sha256 },
    writtenAt: new Date(writtenAt).toISOString(),
  }));
  return `${JSON.stringify({ format: FORMAT, tenant, game, files: listed }, null, 1)}\n`;
}
