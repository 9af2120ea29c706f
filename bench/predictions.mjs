// npm run bench -- predictions [--players 1000,20000,200000,1000000] [--days 119] [--seed 1] [--reads 200000] [--rounds 3] [--seconds 10]
//   [--through database|api]
// Trains games whose parameters are known, and prints the time, the memory and the distance to the true parameters. A game with more players than
// a training reads is trained twice: on a sample, as the service does it, and on all players. --reads also measures how much slower reads of the
// store are during a training of the game of that size. A limit that is missed makes the run fail.
// Players are written into the tables. With `--through api` they log in and send their events to the service instead, from up to 88 days ago.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { MAX_PLAYERS, readOrigins } from '../server/dist/insight/predictions/training-data-reader.js';
import { beginTrainingSession, createSample } from '../server/dist/insight/predictions/training-queries.js';
import { publishConfig } from '../server/dist/liveops/configs/publish.js';
import { withDedicatedConnection } from '../server/dist/platform/db/dedicated-connection.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { createLimits } from './predictions/limits.mjs';
import { measureReads } from './predictions/reads-beside-training.mjs';
import { heldOut, recovered } from './predictions/recovery.mjs';
import { measureScoring } from './predictions/scoring-time.mjs';
import { MAX_DAYS, sendSimulatedPlayers } from './predictions/sent-players.mjs';
import { SHORT_TRUTH, TRUTH } from './predictions/simulated-game.mjs';
import { insertSimulatedPlayers } from './predictions/simulated-players.mjs';
import { runTraining } from './predictions/training-run.mjs';
import { makeDocument } from './support/config-document.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { startService } from './support/service.mjs';

const DAY_MS = 86_400_000;
/** Weeks that no training sees. */
const HELD_OUT_WEEKS = 2;
/** BG/BB and MBG/NBD are fitted at the origin before the week of calibration and that of the test; values at the newest one. */
const FITTED_WEEKS_AGO = 3;
const NEWEST_WEEKS_AGO = 1;
/** What a training may take that reads at most `MAX_PLAYERS` players, as the service does, and how good its predictions have to be. */
const LIMITS = {
  seconds: 60,
  peakMb: 1_024,
  ece: 0.02,
  aucBelowTruth: 0.01,
  scoringMicros: 100,
  // Chance alone exceeds it for one parameter of 370.
  standardErrors: 3,
};

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '1000,20000,200000,1000000' },
    days: { type: 'string' },
    seed: { type: 'string', default: '1' },
    reads: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    through: { type: 'string', default: 'database' },
  },
});
if (!['database', 'api'].includes(values.through)) {
  throw new Error(`--through is "${values.through}": give database or api.`);
}
const isThroughApi = values.through === 'api';
const days = Number(values.days ?? (isThroughApi ? MAX_DAYS : 119));
if (isThroughApi && days > MAX_DAYS) {
  throw new Error(
    `--days is ${days}: with --through api it is at most ${MAX_DAYS}, because older events count when they are received.`,
  );
}

const limits = createLimits();
await runAndCleanUp(async () => {
  for (const players of values.players.split(',')) await measure(Number(players), players === values.reads);
  limits.conclude();
});

async function measure(players, withReads) {
  const service = await startService({ SAVEPOINT_TRAINING_DAYS: '0', SAVEPOINT_ACCESS_TTL_SECONDS: '86400' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  // An interrupted run stops PostgreSQL below it.
  database.on('error', () => {});
  await database.connect();
  const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 60_000, onError: () => {} });
  try {
    const nowMs = Date.now() - 7 * HELD_OUT_WEEKS * DAY_MS;
    for (const game of await prepareGames(service, database, players)) {
      const task = { databaseUrl: service.databaseUrl, database, gameId: game.gameId, nowMs, players };
      for (const isWhole of players > MAX_PLAYERS ? [false, true] : [false]) {
        // A model is promoted only if it is better than the one in force: each training has to begin like the first.
        await database.query('truncate prediction_models, prediction_states');
        const trained = await runTraining({ ...task, isWhole });
        printTraining(trained, isWhole);
        await printTruth(pool, game, trained, nowMs, isWhole ? players : MAX_PLAYERS);
        if (!isWhole) await printScoring(pool, game.gameId, trained);
      }
    }
    if (withReads) {
      const { rows } = await database.query("select id from games where slug = 'demo-game'");
      await publish(pool, rows[0].id, makeDocument({ segments: 50, offers: 50, usesPredictions: true }));
      printReads(await measureReads(service, database, Number(values.rounds), Number(values.seconds)));
    }
  } finally {
    await pool.end();
    await database.end();
    await service.stop();
    await service.remove();
  }
}

/** Games whose parameters are known, and which of their models are compared with the truth. */
async function prepareGames(service, database, players) {
  const begun = performance.now();
  const simulation = { players, days, seed: Number(values.seed) };
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`\n## ${count(players)} players\n`);
  if (isThroughApi) {
    const sent = await sendSimulatedPlayers(service, database, simulation);
    console.log(`sent ${count(sent.events)} events in ${seconds()} s\n`);
    return [
      { gameId: sent.visits, truth: SHORT_TRUTH, compared: ['activity'] },
      { gameId: sent.purchases, truth: SHORT_TRUTH, compared: ['purchases'] },
    ];
  }
  const written = await insertSimulatedPlayers(database, simulation);
  console.log(`written with ${count(written.days)} days in ${seconds()} s\n`);
  return [{ gameId: written.gameId, truth: TRUTH, compared: ['activity', 'purchases'] }];
}

function printTraining({ sample, report, seconds, readMs, fitMs, peakMb, cpuSeconds, backend }, isWhole) {
  const of = sample.players < sample.allPlayers ? ` of ${count(sample.allPlayers)}` : '';
  console.log(
    `trained on ${count(sample.players)}${of} players and ${count(sample.payers)} payers in ${count(report.cells)} cells: ${seconds.toFixed(1)} s (read ${(readMs / 1000).toFixed(1)}, fit ${(fitMs / 1000).toFixed(1)}); the trainer ${cpuSeconds.toFixed(1)} s of CPU and at most ${peakMb.toFixed(0)} MB, its backend ${backend.cpuSeconds.toFixed(1)} s of CPU and at most ${backend.peakMb.toFixed(0)} MB of its own`,
  );
  for (const { model, outcome, reason } of report.models) console.log(`  ${model}: ${outcome} (${reason})`);
  if (isWhole) return;
  const name = `training of ${count(sample.players)} players`;
  const memory = limits.atMost(peakMb, LIMITS.peakMb, `${name}: ${peakMb.toFixed(0)} MB`);
  console.log(`  limit of the trainer's memory: ${memory} MB`);
  // The limit of time is for games of at most `MAX_PLAYERS`: the sample of a larger game is spread over more pages.
  if (sample.players < sample.allPlayers) return;
  const time = limits.atMost(seconds, LIMITS.seconds, `${name}: ${seconds.toFixed(1)} s`);
  console.log(`  limit of the time: ${time} s`);
}

/** The time of the slowest player is compared with the limit. */
async function printScoring(pool, gameId, { artefact }) {
  if (artefact.models.purchases.state !== 'ready') return;
  const measured = await measureScoring(pool, gameId, artefact, Date.now());
  const states = Object.entries(artefact.models).map(
    ([name, model]) => `${name} ${model.algorithm ?? 'cold start'}`,
  );
  console.log(
    `All predictions of a player (${states.join(', ')}):\n\n| players | µs, mean | µs, slowest player | limit |\n| --- | --- | --- | --- |`,
  );
  for (const { kind, players, mean, slowest } of measured) {
    const text = `all predictions of one of the ${kind}: ${slowest.toFixed(1)} µs`;
    const limit = limits.atMost(slowest, LIMITS.scoringMicros, text);
    console.log(`| ${count(players)} ${kind} | ${mean.toFixed(1)} | ${slowest.toFixed(1)} | ${limit} |`);
  }
  console.log('');
}

async function printTruth(pool, { gameId, ...known }, { artefact, sample }, nowMs, maxPlayers) {
  const trainedDay = Math.floor(nowMs / DAY_MS) - 1;
  if (known.compared.some((name) => artefact.models[name].state !== 'ready')) {
    return console.log('  too few players to compare the models with the true parameters: take more players');
  }
  await withDedicatedConnection(pool, async (connection) => {
    await beginTrainingSession(connection);
    await createSample(connection, gameId, maxPlayers);
    const originDays = [FITTED_WEEKS_AGO, NEWEST_WEEKS_AGO].map((weeks) => trainedDay - 7 * weeks);
    const [fitted, newest] = await readOrigins(connection, originDays, artefact.currency);
    const models = recovered(artefact, fitted, newest, known);
    console.log(
      '\n| parameter | true | found | off by, in standard errors | limit |\n| --- | --- | --- | --- | --- |',
    );
    for (const { name, truth, found, standardErrors } of models.flatMap(({ parameters }) => parameters)) {
      const off = standardErrors.toFixed(1);
      // Rounding to days is seen once there are many more payers.
      const limit =
        sample.allPlayers > MAX_PLAYERS
          ? ''
          : limits.atMost(
              Math.abs(standardErrors),
              LIMITS.standardErrors,
              `${name} is off by ${off} standard errors`,
            );
      console.log(`| ${name} | ${truth} | ${found.toPrecision(4)} | ${off} | ${limit} |`);
    }
    console.log(
      '\n| parameters of | twice the log-likelihood above that of the true ones | by chance, in 999 of 1,000 cases, at most |\n| --- | --- | --- |',
    );
    for (const { model, gain, chance } of models) {
      console.log(`| ${model} | ${gain.toFixed(1)} | ${chance} |`);
    }
    console.log(
      '\n| held-out week | prediction | players | ECE (by chance) | limit | AUC | AUC of the true parameters | limit of the difference |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
    );
    for (let week = 0; week < HELD_OUT_WEEKS; week++) {
      for (const { name, model, truth } of heldOut(artefact, await originAt(-week), known)) {
        const what = `${name}, held-out week ${week + 1}`;
        const ece = limits.atMost(model.ece, LIMITS.ece, `${what}: ECE ${model.ece.toFixed(4)}`);
        const below = truth.auc - model.auc;
        const missed = `${what}: AUC ${below.toFixed(4)} below that of the true parameters`;
        // Slow buyers can hardly be told apart, so by chance the model may be further off for payers.
        const auc = name === 'churn' ? limits.atMost(below, LIMITS.aucBelowTruth, missed) : '';
        console.log(
          `| ${week + 1} | ${name} | ${count(model.players)} | ${model.ece.toFixed(4)} (${model.eceOfChance.toFixed(4)}) | ${ece} | ${model.auc.toFixed(4)} | ${truth.auc.toFixed(4)} | ${auc} |`,
        );
      }
    }
    console.log('');
  });
}

function printReads(rounds) {
  console.log(
    'Reads of the store with 50 offers on predictions, beside a training of the service:\n\n| round | load | when | per second | p50 ms | p99 ms | CPU share of the training | before, less that share |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const [index, { closed, open }] of rounds.entries()) {
    printPhases(index + 1, 'as many as possible', closed);
    printPhases(index + 1, 'half of that, at a fixed rate', open);
  }
}

function printPhases(round, load, phases) {
  const [before] = phases;
  for (const { when, perSecond, p50Ms, p99Ms, trainingShare } of phases) {
    const share = trainingShare === undefined ? '' : `${(100 * trainingShare).toFixed(0)} %`;
    const left = 1 - trainingShare;
    const expected =
      trainingShare === undefined
        ? ''
        : `${(left * before.perSecond).toFixed(0)} per second, p99 ${(before.p99Ms / left).toFixed(1)} ms`;
    console.log(
      `| ${round} | ${load} | ${when} | ${perSecond.toFixed(0)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${share} | ${expected} |`,
    );
  }
}

async function publish(pool, gameId, document) {
  const publication = { gameId, document, note: 'bench', confirmPriceRaises: true };
  const outcome = await publishConfig(pool, publication, { name: 'bench', nowMs: Date.now() });
  if (outcome.outcome !== 'published') throw new Error(`not published: ${JSON.stringify(outcome)}`);
}

function count(number) {
  return number.toLocaleString('en-US');
}
