import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Simulation } from '../model/simulation.js';
import { addTally, emptyTally, type Tally } from '../model/tally.js';
import type { PlayedLife } from './play-life.js';

/** What is known of a player who has been played. */
type FinishedPlayer = { player: number } & PlayedLife;

type Header = Simulation & {
  format: 1;
  run: string;
  target: string;
  /** Its players live from the start of the simulation on, at the pace of the clock. They have no past to finish. */
  isLive?: true;
  /** When all are finished, the caller has something to do with them, and then calls `endSimulation`. */
  hasSequel?: true;
};

export type StateFile = {
  readonly simulation: Simulation;
  readonly run: string;
  /** The tally of the players who have been played, in this call and before. */
  readonly expected: Tally;
  readonly acknowledged: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly finished: ReadonlySet<number>;
  /** Whether the file was there before. */
  readonly isResumed: boolean;
  /** Whether `endSimulation` has to be called. */
  readonly hasSequel: boolean;
  add(player: FinishedPlayer): void;
  close(): void;
};

/** The file does not fit the options. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

export type Wanted = Omit<Simulation, 'endMs'> & { target: string; hasSequel?: true };

/** The last line of a simulation with a sequel. */
const END = JSON.stringify({ isEnded: true });

/**
 * One line for the simulation, then one for each player who has been played. A line that was cut off in the middle belongs to a player
 * who is played again. Once all players are finished, and the sequel if there is one, the next simulation starts a new file.
 */
export async function openStateFile(file: string, wanted: Wanted, nowMs: number): Promise<StateFile> {
  await mkdir(dirname(file), { recursive: true });
  const kept = existsSync(file) ? readLines(file) : undefined;
  const isResumed = kept !== undefined && isUnfinished(kept);
  if (isResumed) requireSame(file, kept.header, wanted);
  const header: Header = isResumed
    ? { ...kept.header, ...(wanted.hasSequel && { hasSequel: true }) }
    : newHeader(wanted, nowMs);
  const players = isResumed ? kept.players : [];

  const expected = emptyTally();
  let acknowledged = 0;
  const refused: Record<string, number> = {};
  const finished = new Set<number>();
  const count = ({ player, tally, refused: codes, ...played }: FinishedPlayer) => {
    acknowledged += played.acknowledged;
    finished.add(player);
    addTally(expected, tally);
    for (const [code, n] of Object.entries(codes)) refused[code] = (refused[code] ?? 0) + n;
  };
  for (const player of players) count(player);
  // Rewritten without a line that was cut off, and moved into place as a whole: a kill at this point loses nothing.
  const descriptor = openSync(`${file}.new`, 'w');
  const write = (line: object) => writeSync(descriptor, `${JSON.stringify(line)}\n`);
  write(header);
  for (const player of players) write(player);
  renameSync(`${file}.new`, file);

  const { seed, days, endMs } = header;
  return {
    simulation: { seed, players: header.players, days, endMs },
    run: header.run,
    expected,
    get acknowledged() {
      return acknowledged;
    },
    refused,
    finished,
    isResumed,
    hasSequel: header.hasSequel === true,
    add(player) {
      write(player);
      count(player);
    },
    close: () => closeSync(descriptor),
  };
}

/** The sequel is done: the same options start a new simulation, or go on at the pace of the clock. */
export function endSimulation(file: string): Promise<void> {
  return appendFile(file, `${END}\n`);
}

/**
 * The players to go on with at the pace of the clock: those of a finished simulation, or of the last call. New players where there
 * are none; the file keeps their names, so that a restart goes on with the same players.
 */
export async function openLiveRun(
  file: string,
  wanted: Wanted,
  nowMs: number,
): Promise<Pick<StateFile, 'simulation' | 'run'>> {
  const kept = existsSync(file) ? readLines(file) : undefined;
  if (kept !== undefined && isUnfinished(kept)) {
    throw new StateFileError(
      `${file} holds an unfinished simulation. Finish it with --speed max, or name another file with --state.`,
    );
  }
  const isSame = kept !== undefined && differences(kept.header, wanted).length === 0;
  const header: Header = isSame ? kept.header : { ...newHeader(wanted, nowMs), isLive: true };
  if (!isSame) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(header)}\n`);
  }
  const { seed, players, days, endMs, run } = header;
  return { simulation: { seed, players, days, endMs }, run };
}

function isUnfinished({ header, players, isEnded }: Kept): boolean {
  if (header.isLive === true) return false;
  return players.length < header.players || (header.hasSequel === true && !isEnded);
}

function newHeader(wanted: Wanted, nowMs: number): Header {
  const run = `sim-${wanted.seed}-${nowMs.toString(36)}`;
  return { format: 1, run, endMs: nowMs, ...wanted };
}

type Kept = { header: Header; players: FinishedPlayer[]; isEnded: boolean };

function readLines(file: string): Kept {
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const header = parse(first) as Header | undefined;
  if (header?.format !== 1) {
    throw new StateFileError(`${file} is not the state of a simulation. Name another file with --state.`);
  }
  const players = rest
    .filter((line) => line !== END)
    .map(parse)
    .filter((line) => line !== undefined) as FinishedPlayer[];
  return { header, players, isEnded: rest.includes(END) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function requireSame(file: string, header: Header, wanted: Wanted): void {
  const found = differences(header, wanted);
  if (found.length === 0) return;
  throw new StateFileError(
    `${file} holds an unfinished simulation with other options: ${found.join(', ')}. Go on with those, name another file with --state, or delete it.`,
  );
}

function differences(header: Header, wanted: Wanted): string[] {
  return (['seed', 'players', 'days', 'target'] as const)
    .filter((name) => header[name] !== wanted[name])
    .map((name) => `${name} ${header[name]} instead of ${wanted[name]}`);
}
