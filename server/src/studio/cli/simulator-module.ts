import { StartupError } from '../../platform/lib/startup-error.js';

/**
 * What this command needs of `@savepoint/simulator`, written down here: the service must build, start and be installed without the
 * simulator, which depends on the client and is of no use in production. A test of the simulator checks that it offers this.
 */
export type SimulatorModule = {
  simulate(options: SimulateOptions): Promise<SimulationResult>;
  simulateLive(options: LiveOptions): Promise<LiveResult>;
  endSimulation(stateFile: string): Promise<void>;
  /** The relative change of a metric between two arms; undefined where it depends on how long players are looked at. */
  trueChange(metric: TrueMetric, arm: Change, control: Change): number | undefined;
  SimulationError: ErrorClass;
  StateFileError: ErrorClass;
};

type ErrorClass = new (message: string) => Error;

export type SimulateOptions = {
  url: string;
  apiKey: string;
  apiSecret: string;
  seed: number;
  players: number;
  days: number;
  clients: number;
  stateFile: string;
  hasSequel?: boolean;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
};

export type LiveOptions = SimulateOptions & { reactions?: Reactions | undefined };

/** By which factors the players of an arm change what they do. */
export type Change = Readonly<{ conversion: number; spend: number; retention: number }>;

export type Reactions = Readonly<{ experimentId: string; changes: Readonly<Record<string, Change>> }>;

type TrueMetric = Readonly<{
  kind: string;
  of?: string;
  sum?: Readonly<{ of: string }>;
  per?: Readonly<{ of: string }>;
}>;

export type Progress = {
  players: number;
  playersDone: number;
  events: number;
  requests: number;
  trouble: string | undefined;
};

/** What some players did, or what the service has of them. */
export type Tally = {
  players: number;
  payers: number;
  purchases: number;
  events: Record<string, number>;
  refused: Record<string, number>;
  swallowed: Record<string, number>;
  revenue: Record<string, number>;
};

export type ResponseCounts = {
  requests: number;
  accepted: number;
  duplicates: number;
  lostResponses: number;
};

export type SimulationResult = {
  deviceIds: string[];
  expected: Tally;
  acknowledged: number;
  refused: Readonly<Record<string, number>>;
  responseCounts: ResponseCounts;
  run: string;
  firstDayMs: number;
  endMs: number;
  isResumed: boolean;
  hasSequel: boolean;
};

export type LiveResult = {
  sessions: number;
  events: number;
  acknowledged: number;
  refused: number;
  swallowed: number;
  responseCounts: ResponseCounts;
  told: Readonly<Record<string, number>>;
};

/** Not a literal in the import, so that the compiler does not look for the package. */
const PACKAGE = '@savepoint/simulator';

export async function loadSimulator(): Promise<SimulatorModule> {
  try {
    return (await import(PACKAGE)) as SimulatorModule;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartupError(
      'The simulator is not built. In a checkout of Savepoint run `npm ci` and `npm run build`; elsewhere it is not included.',
    );
  }
}
