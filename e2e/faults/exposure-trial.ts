import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/service.js';
import {
  checkActivated,
  checkKept,
  checkPlaces,
  checkSilent,
  checkTold,
  listStored,
  type StoredArm,
} from './exposure-checks.js';
import { FIRST_PHASE, type Phase } from './exposure-document.js';
import { chooseKills, KILLS, type KillKind } from './exposure-kills.js';
import { type Players, startPlayers } from './exposure-players.js';
import { compareReports, makeReports } from './exposure-reports.js';
import { openStudio, type Studio } from './exposure-studio.js';
import { type Random, seededRandom } from './random.js';
import { type SecondNode, startSecondNode } from './second-node.js';
import { type Stack, startStack } from './stack.js';
import { ToldArms } from './told-arms.js';
import { withDatabase } from './verify.js';

export type TrialOptions = Readonly<{
  seed: number;
  minutes: number;
  players: number;
  kills: number;
  say: (line: string) => void;
}>;

export type TrialReport = Readonly<{
  numbers: Readonly<Record<string, number>>;
  /** Players by arm as the reports have them. */
  reports: readonly string[];
  problems: readonly string[];
}>;

type World = Readonly<{
  stack: Stack;
  second: SecondNode;
  studio: Studio;
  players: Players;
  random: Random;
  say: (line: string) => void;
  /** What was stored at some moments. */
  kept: (readonly StoredArm[])[];
}>;

type Publication = Readonly<{
  name: string;
  phase: Phase;
  outcome?: 'experiments_exposed';
  /** Not during a kill: whoever was told an arm of the seed before has it stored. */
  isSettled?: boolean;
}>;

const PUBLICATIONS: readonly Publication[] = [
  { name: 'coverage 50%', phase: { ...FIRST_PHASE, coverage: 50 } },
  {
    ...{ name: 'other weights of an experiment that players are in', outcome: 'experiments_exposed' },
    phase: { ...FIRST_PHASE, coverage: 50, isRefused: true },
  },
  {
    name: 'other weights, and 50%, of an experiment that nobody is in',
    phase: { ...FIRST_PHASE, coverage: 50, isLateOpen: true },
  },
  { name: 'coverage 100%', phase: { coverage: 100, isLateOpen: true, isRedrawn: false } },
  {
    ...{ name: 'another seed and other weights of one experiment', isSettled: true },
    phase: { coverage: 100, isLateOpen: true, isRedrawn: true },
  },
];

const DATABASE_TIMEOUT_MS = 5_000;
/** New players are logging in, and the publication is on its way. */
const AHEAD_MS = 600;
const RECOVERED_MS = 300_000;

/**
 *   start everything, publish ─► players read and send; kills, publications, and new players with each kill ─► all read
 *   once more ─► compare with the table ─► ask for the reports ─► compare with SQL
 */
export async function runExposureTrial(options: TrialOptions): Promise<TrialReport> {
  const { say, seed } = options;
  const random = seededRandom(seed);
  const stack = await startStack({
    ...{ mode: 'jetstream', databaseTimeoutMs: DATABASE_TIMEOUT_MS },
    settings: { SAVEPOINT_RATE_LIMITS: 'off' },
  });
  let second: SecondNode | undefined;
  try {
    second = await startSecondNode(stack);
    const { api, ops, settings } = second;
    const studio = await openStudio(settings, ops);
    await studio.publish(FIRST_PHASE);
    const told = new ToldArms();
    const players = startPlayers({ apis: () => [stack.api(), api()], told, random });
    const world: World = { stack, second, studio, players, random, say, kept: [] };
    say(`seed ${seed}: two nodes of two workers, ${stack.description}; ten experiments are published`);
    const problems = await play(world, options);
    await players.stop();
    say('all that players sent is acknowledged');
    await drain(stack);
    return await check(world, told, problems);
  } catch (error) {
    const logs = [stack.logs(), second?.logs() ?? ''].join('\n--- node two ---\n');
    throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
  } finally {
    await second?.stop();
    await stack
      .stop()
      .catch((error: unknown) => say(`not everything was stopped: ${(error as Error).message}`));
  }
}

/** Returns what went wrong with publications. */
async function play(world: World, options: TrialOptions): Promise<string[]> {
  const { stack, second, players, random, say } = world;
  const kills = chooseKills(options.kills, random);
  const rounds: readonly (KillKind | null)[] = [null, ...kills];
  const roundMs = (options.minutes * 60_000) / rounds.length;
  const arrivals = Math.ceil(options.players / rounds.length);
  const problems: string[] = [];
  let published = 0;
  /** Spread over the kills, so that the last one is before the last kill. */
  const publishUpTo = async (round: number, isSettled: boolean): Promise<void> => {
    const due = Math.ceil((PUBLICATIONS.length * round) / Math.max(1, kills.length - 1));
    for (const publication of PUBLICATIONS.slice(published, due)) {
      if (publication.isSettled && !isSettled) return;
      published++;
      problems.push(...(await publish(world, publication)));
    }
  };
  for (const [round, kind] of rounds.entries()) {
    const nextAt = performance.now() + roundMs;
    world.kept.push(await withDatabase(stack, listStored));
    players.arrive(Math.min(arrivals, options.players - players.all.length));
    if (kind !== null) {
      const kill = async () => {
        await sleep(random.integer(AHEAD_MS));
        say(`kill -9 of ${kind}, ${players.all.length} players`);
        await KILLS[kind](stack, second, random);
      };
      await Promise.all([publishUpTo(round, false), kill()]);
      await recovered(world);
      await publishUpTo(round, true);
    }
    await sleep(Math.max(0, nextAt - performance.now()));
  }
  await publishUpTo(Number.POSITIVE_INFINITY, true);
  return problems;
}

async function publish({ players, studio, say }: World, publication: Publication): Promise<string[]> {
  const { name, phase, outcome = 'published', isSettled } = publication;
  if (isSettled) await players.settle();
  const happened = await studio.publish(phase);
  say(`${happened === 'published' ? 'published' : `refused (${happened})`}: ${name}`);
  return happened === outcome ? [] : [`${name}: ${happened} instead of ${outcome}`];
}

async function recovered({ stack, second, players, say }: World): Promise<void> {
  const begun = performance.now();
  const apis = [stack.api(), second.api()];
  await until(async () => (await Promise.all(apis.map(players.canRead))).every(Boolean), RECOVERED_MS);
  say(`both nodes answer after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

async function drain(stack: Stack): Promise<void> {
  let lag = Number.NaN;
  const isEmpty = async () => {
    lag = await stack.lag().catch(() => Number.NaN);
    return lag === 0;
  };
  await until(isEmpty, RECOVERED_MS).catch(() => {
    throw new Error(`${lag} messages are still in the queue`);
  });
}

async function check(world: World, told: ToldArms, problems: string[]): Promise<TrialReport> {
  const { stack, second, studio, players, say, kept } = world;
  return withDatabase(stack, async (client) => {
    const early = await listStored(client);
    await players.readAll();
    const stored = await listStored(client);
    const last = { stored, told, players: players.all };
    const [silent, arms, activated] = [checkSilent(last), checkTold(last), checkActivated(last)];
    const changed = [...kept, early].flatMap((before) => checkKept(before, stored));
    say(
      `${stored.length} exposures are compared; the day of the trial becomes yesterday, and reports are asked for`,
    );
    const reports = await compareReports(client, await makeReports(client, studio, second));
    return {
      numbers: {
        players: players.all.length,
        responses: told.responses,
        'lost responses': told.silences.filter(({ isLost }) => isLost).length,
        'of them timed out': told.timedOut,
        'told arms': told.all.length,
        exposures: stored.length,
        ...{ ...silent.numbers, ...arms.numbers, ...activated.numbers },
      },
      reports: reports.lines,
      problems: [
        ...problems,
        ...told.problems,
        ...silent.problems,
        ...arms.problems,
        ...activated.problems,
        ...new Set(changed),
        ...checkPlaces(stored),
        ...reports.problems,
      ],
    };
  });
}
