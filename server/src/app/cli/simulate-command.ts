import { join } from 'node:path';
import { Command, Option } from 'commander';
import { apiKeyBinding, findUsableKey } from '../../core/sessions/api-key-queries.js';
import { checkReactions } from '../../experiments/cli/react-check.js';
import { refuseDifferences, reportLive, reportSimulation } from '../../insight/cli/simulate-report.js';
import { leaveSimulatedPast } from '../../operations/cli/simulated-past.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { unseal } from '../../platform/security/master-keys.js';
import { requireGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { Interrupted, interruptible } from '../../studio/cli/interrupt.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import {
  type LiveOptions,
  loadSimulator,
  type Progress,
  type SimulateOptions,
  type SimulatorModule,
} from '../../studio/cli/simulator-module.js';
import { requireSettings, say, withMasterKeys } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { DEMO } from '../demo-studio.js';
import { readReactions } from './react-option.js';
import { reportTruth } from './report-truth.js';

type Options = {
  players: string;
  days: string;
  speed: 'max' | 'real';
  seed: string;
  tenant: string;
  game: string;
  url?: string;
  apiKey?: string;
  apiSecretFile?: string;
  state?: string;
  clients: string;
  react: string[];
  adminUrl?: string;
  adminTokenFile?: string;
  past?: boolean;
};

type Credentials = { apiKey: string; apiSecret: string; gameId?: number };

const HELP = `
With --speed max the players play the last --days days as fast as the service takes it, ending now. After an interruption of any kind
the same command goes on, and nothing counts twice. At the end it prints what was sent and what the service has, and whether both agree.
In development, next to the service, it then leaves a past: every event gets the time of receipt that it would have had then, as if it had been
sent at once. So event files, SQL, back-tests and exports have those days, too. Other players are left alone. Nothing of this is done in production,
unless you say --past, and nothing with --url.

With --speed real the players go on from now, at the pace of the clock, until Ctrl-C. After --speed max with the same options they are the
same players, and so they are when it is started again.

With --react the players read the arm of an experiment from the service, as a game does, and those of an arm pay, spend or come back more or less
often by exactly this much. At the end it prints the truth, and with --admin-token-file the verdict of the service beside it. It needs --speed real: a player is in an experiment
from now on, not in the past. For a rehearsal of weeks in minutes see docs/experiments.md.

The next to \`npm start\`:       SAVEPOINT_ENV=development savepoint simulate --players 1000 --days 60
Another installation:          savepoint simulate --url https://players.example.com --api-key <id> --api-secret-file <file>
The events that never arrived: savepoint losses --tenant demo-studio --game demo-game --grace-hours 0

Some players lose events on purpose, some send bad ones. Use it on a game that is there for it: its players stay.`;

export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'let believable players play through the API: for a demo, a load, or a check of an installation',
    )
    .option('--players <number>', 'how many have installed the game by now', '1000')
    .option('--days <number>', 'how many days there have been players', '30')
    .addOption(
      new Option('--speed <speed>', 'past days at once, or from now on')
        .choices(['max', 'real'])
        .default('max'),
    )
    .option('--seed <number>', 'the same number gives the same lives', '1')
    .option('--tenant <tenant-id>', 'the studio', DEMO.tenant)
    .option('--game <game-id>', 'the game; a key of it is taken from the database', DEMO.game)
    .option('--url <url>', 'the player API (default: on this machine, at SAVEPOINT_PORT)')
    .option('--api-key <key-id>', 'of the game, where its database cannot be reached from here')
    .option('--api-secret-file <file>', 'file with the secret of that key')
    .option('--past', 'leave a past: times of receipt of those days (default: in development, without --url)')
    .option('--no-past', 'leave the times of receipt as they are: everything was received today')
    .option('--state <file>', 'where to keep how far it has come (default: in SAVEPOINT_DATA_DIR)')
    .option('--clients <number>', 'how many players are played at a time', '48')
    .option(
      '--react <arm...>',
      'how players of an arm react: <experiment>:<variant>:conversion=+20%,spend=-5%,retention=+10%',
      [],
    )
    .option(
      '--admin-token-file <file>',
      'with --react: a token of a viewer, to print the verdict beside the truth',
    )
    .option('--admin-url <url>', 'the admin API (default: on this machine, at SAVEPOINT_OPS_PORT)')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const size = {
    players: wholeNumber('--players', options.players, 1, 1_000_000),
    days: wholeNumber('--days', options.days, 1, 89),
    seed: wholeNumber('--seed', options.seed, 0, 2 ** 53 - 1),
    clients: wholeNumber('--clients', options.clients, 1, 1_000),
  };
  const reactions = readReactions(options.react);
  if (reactions !== undefined && options.speed !== 'real') {
    throw new StartupError('--react needs --speed real: what players did in the past is in no experiment.');
  }
  const simulator = await loadSimulator();
  const { gameId, ...credentials } = await readCredentials(options);
  const { port, opsPort, dataDir, environment } = requireSettings({ needsMasterKey: false });
  const isOwn = options.url === undefined && environment === 'development';
  const hasSequel = options.past ?? (isOwn && gameId !== undefined);
  if (hasSequel && gameId === undefined) {
    throw new StartupError(
      '--past needs the database of the game: leave --api-key out, and run the command next to the database.',
    );
  }
  const url = (options.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '');
  await requireService(url);
  const { adminTokenFile, adminUrl = `http://127.0.0.1:${opsPort}` } = options;
  const admin = adminTokenFile === undefined ? undefined : await readAdmin(adminUrl, adminTokenFile);
  if (reactions !== undefined) await checkReactions(reactions, { admin, game: options.game, gameId });
  const stateFile =
    options.state ?? join(dataDir, `simulation-${size.seed}-${size.players}x${size.days}.ndjson`);
  const target = { url, ...credentials, stateFile, ...size };
  try {
    if (options.speed === 'real') {
      const result = await playLive(simulator, { ...target, reactions });
      reportLive(result);
      if (reactions !== undefined) {
        await reportTruth(simulator, { reactions, told: result.told, game: options.game, admin });
      }
      return;
    }
    const begun = performance.now();
    const result = await playAll(simulator, { ...target, hasSequel });
    const seconds = (performance.now() - begun) / 1000;
    const differences = await reportSimulation(result, { gameId, options, seconds });
    if (hasSequel && gameId !== undefined) {
      await leaveSimulatedPast(result, { ...options, gameId, days: size.days });
    }
    // Also if an earlier call was to leave a past, and this one is not.
    if (result.hasSequel) await simulator.endSimulation(stateFile);
    refuseDifferences(differences);
  } catch (error) {
    const { SimulationError, StateFileError } = simulator;
    if (error instanceof SimulationError || error instanceof StateFileError) {
      throw new StartupError(error.message);
    }
    throw error;
  }
}

/** A key that was given, or one of the game's own. */
async function readCredentials({ apiKey, apiSecretFile, tenant, game }: Options): Promise<Credentials> {
  if (apiKey !== undefined && apiSecretFile !== undefined) {
    return { apiKey, apiSecret: (await readGivenFile(apiSecretFile)).trim() };
  }
  if (apiKey !== undefined || apiSecretFile !== undefined) {
    throw new StartupError('--api-key and --api-secret-file go together: give both, or neither.');
  }
  return withMasterKeys(async ({ pool }, { environment }, { keys }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const key = await findUsableKey(pool, gameId, environment);
    if (key === undefined) {
      const create = `savepoint key create --tenant ${tenant} --game ${game} --environment ${environment}`;
      throw new StartupError(`The game has no API key for this environment. Create one: ${create}`);
    }
    const secret = unseal(keys, key.sealedSecret, apiKeyBinding(tenant, key.keyId));
    return { gameId, apiKey: key.keyId, apiSecret: secret.toString('utf8') };
  });
}

async function readAdmin(url: string, tokenFile: string) {
  return { url: url.replace(/\/+$/, ''), token: (await readGivenFile(tokenFile)).trim() };
}

/** Checked before anything is prepared. */
async function requireService(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/limits`).catch(() => undefined);
  if (response?.ok === true) return;
  throw new StartupError(
    `The service does not respond at ${url}${response === undefined ? '' : ` (status ${response.status})`}. Start it with \`npm start\` or \`savepoint start\`, or name its address with --url.`,
  );
}

type Target = Omit<SimulateOptions, 'signal' | 'onProgress'>;

function playAll({ simulate }: SimulatorModule, target: Target) {
  return interruptible('Go on with the same command: nothing counts twice.', async (signal) => {
    const line = createProgressLine();
    const rate = createRate();
    try {
      return await simulate({
        ...target,
        signal,
        onProgress(progress) {
          const perSecond = rate(progress.events);
          line.show(() => describeProgress(progress, perSecond));
        },
      });
    } catch (error) {
      throw signal.aborted
        ? new Interrupted('Interrupted. Go on with the same command: nothing counts twice.')
        : error;
    } finally {
      line.end();
    }
  });
}

function playLive({ simulateLive }: SimulatorModule, target: Omit<LiveOptions, 'signal' | 'onProgress'>) {
  return interruptible('What could be sent was sent.', async (signal) => {
    const line = createProgressLine();
    const onProgress = ({ events, playersDone, trouble }: Progress) =>
      line.show(
        () =>
          `${grouped(events)} events of ${grouped(playersDone)} sessions${trouble === undefined ? '' : `; ${trouble}`}`,
      );
    say('Players play from now on, at the pace of the clock. Press Ctrl-C to end it.');
    try {
      return await simulateLive({ ...target, signal, onProgress });
    } finally {
      line.end();
    }
  });
}

function describeProgress({ players, playersDone, events, trouble }: Progress, perSecond: number): string {
  const done = `${progressBar(playersDone, players)} ${grouped(playersDone)} of ${grouped(players)} players`;
  if (trouble !== undefined) return `${done}; waiting: ${trouble}`;
  return `${done}, ${grouped(events)} events, ${grouped(perSecond)} a second`;
}

/** Over the last few seconds. */
function createRate(): (count: number) => number {
  const WINDOW_MS = 5_000;
  const seen: { at: number; count: number }[] = [];
  return (count) => {
    const at = performance.now();
    const last = seen.at(-1);
    if (last === undefined || at - last.at > 200) seen.push({ at, count });
    while (seen.length > 2 && at - (seen[0]?.at ?? at) > WINDOW_MS) seen.shift();
    const first = seen[0];
    return first === undefined || at === first.at
      ? 0
      : Math.round(((count - first.count) * 1000) / (at - first.at));
  };
}
