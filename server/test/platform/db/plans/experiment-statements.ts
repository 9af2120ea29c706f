import { exploreExperiment } from '../../../../src/experiments/explore-experiment.js';
import { listFormerRuns } from '../../../../src/experiments/former-queries.js';
import { gradeExperiments } from '../../../../src/experiments/grading/grade-experiments.js';
import {
  findStanding,
  findUsualCurrency,
  listStandings,
} from '../../../../src/experiments/grading/grade-queries.js';
import { EXPLORED } from '../../../../src/experiments/group-queries.js';
import { deleteEndedHoldouts } from '../../../../src/experiments/holdout-expiry.js';
import { keepErasedSums } from '../../../../src/experiments/keep-erased.js';
import { planExperiment, planRequestOf } from '../../../../src/experiments/plan-experiment.js';
import {
  listExposureSegments,
  listSegmentPublications,
} from '../../../../src/experiments/segment-queries.js';
import { sumExperiments } from '../../../../src/experiments/sum-experiments.js';
import {
  countExposed,
  findEnding,
  listExperimentViews,
  listReportedDays,
  updateSumsRequested,
} from '../../../../src/experiments/view-queries.js';
import { createPlayerSamples } from '../../../../src/liveops/audiences/player-samples.js';
import {
  inTransaction,
  walkByIndex,
  withDedicatedConnection,
} from '../../../../src/platform/db/dedicated-connection.js';
import { readsOf } from '../../../../src/platform/db/reads.js';
import { configWith, experiment } from '../../../decide/support/fixtures.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId } = WORLD;
const DAY_MS = 86_400_000;
const ERASED = ['3'];
const RUN = { gameId, experimentId: 'price_test', seed: '1' };

/** Of every kind, so that everything is read. */
const RUNNING = experiment('price_test', {
  metrics: {
    primary: { kind: 'sum', sum: { of: 'revenue', currency: null } },
    secondary: [
      { kind: 'share', of: 'retained', day: 7 },
      { kind: 'sum', sum: { of: 'sessions' } },
      { kind: 'sum', sum: { of: 'events', eventType: 'A' } },
    ],
    guardrails: [],
  },
  plan: { smallestEffect: { percent: 5 }, players: 1_000, days: 1 },
});

/** Statements about experiments: what maintenance sums, and what is shown. */
export const EXPERIMENT_STATEMENTS: readonly Listed[] = [
  {
    what: 'a game with a running experiment, for the next',
    call: async ({ admin }) => {
      await admin.query(
        `update config_versions set document = $1, published_at = now() - interval '3 days' where game_id = ${gameId}`,
        [JSON.stringify(configWith({ experiments: [RUNNING] }))],
      );
      await admin.query(
        `update games set running_experiments = '[["price_test", "1", null]]',
           published_version = (select max(version) from config_versions where game_id = ${gameId})
         where id = ${gameId}`,
      );
    },
  },
  {
    what: 'sums of running experiments',
    call: ({ admin, nowMs }) =>
      withDedicatedConnection(admin, async (connection) => {
        await walkByIndex(connection);
        // From tomorrow on the exposures of today count.
        for (const days of [1, 2]) {
          await sumExperiments(connection, { pool: admin, nowMs: nowMs + days * DAY_MS });
        }
        await inTransaction(connection, () => keepErasedSums(connection, ERASED, nowMs + DAY_MS));
      }),
    reads: {
      tables: ['games', 'config_versions', 'experiment_exposures', 'players', 'player_days'],
      why: 'games are looked at 200 at a time, versions once until the first in which an experiment runs, exposures in chunks with the players and their days',
      atMost: 5_000,
    },
  },
  {
    what: 'hold-outs that are over, and one of an offer that is in the document',
    call: async ({ admin, nowMs }) => {
      await admin.query(
        `insert into experiment_runs (game_id, experiment_id, seed, started_at, ended_at, checked_version)
         values (${gameId}, 'offer:old', '10', now() - interval '90 days', now() - interval '60 days', 1),
           (${gameId}, 'offer:running', '10', now() - interval '90 days', null, 1)`,
      );
      await withDedicatedConnection(admin, async (connection) => {
        await walkByIndex(connection);
        await deleteEndedHoldouts(connection, { pool: admin, nowMs });
      });
      await admin.query(`delete from experiment_runs where experiment_id like 'offer:%'`);
    },
  },
  {
    what: 'list_experiment_views',
    call: ({ service }) => listExperimentViews(service, gameId, [RUNNING]),
  },
  {
    what: 'list_former_runs',
    call: ({ service }) => listFormerRuns(service, gameId, { published: [], limit: 100 }),
    reads: {
      tables: ['config_versions'],
      why: 'versions are read back from the end of each run to the last one that has the experiment',
      atMost: 1_000,
    },
  },
  {
    what: 'list_exposure_segments',
    call: ({ service, nowMs }) =>
      listExposureSegments(service, gameId, { startedAt: nowMs - DAY_MS, endedAt: null }),
    reads: {
      tables: ['config_versions'],
      why: 'the versions that were published while it ran',
      atMost: 1_002,
    },
  },
  {
    what: 'list_segment_publications',
    call: ({ service, nowMs }) => listSegmentPublications(service, gameId, 'payers', nowMs - DAY_MS),
    reads: {
      tables: ['config_versions'],
      why: 'the versions that were published since the run began, without their documents, and the one before',
      atMost: 1_003,
    },
  },
  {
    what: 'count_exposed',
    call: ({ service }) => countExposed(service, RUN),
    reads: {
      tables: ['experiment_exposures'],
      why: 'the first 10,000 players of an experiment without a report are counted',
      atMost: 10_000,
    },
  },
  { what: 'find_ending', call: ({ service, nowMs }) => findEnding(service, gameId, { endedAt: nowMs }) },
  { what: 'list_reported_days', call: ({ service }) => listReportedDays(service, RUN, 180) },
  { what: 'update_sums_requested', call: ({ service, nowMs }) => updateSumsRequested(service, RUN, nowMs) },
  {
    what: 'plans of experiments',
    call: ({ admin, nowMs }) =>
      planExperiment(
        admin,
        createPlayerSamples(readsOf(admin), { now: () => nowMs }),
        planRequestOf(RUNNING, gameId, 'all'),
        nowMs,
      ),
    reads: { tables: ['players'], why: 'a sample is drawn from the ids of all players', atMost: 'all' },
  },
  {
    what: 'players of yesterday, for the next',
    call: ({ admin }) =>
      admin.query(
        `update players set active_days = datemultirange(daterange(current_date - 2, current_date)) where id <= 3`,
      ),
  },
  {
    what: 'hidden A/A experiments',
    call: ({ admin, nowMs }) =>
      withDedicatedConnection(admin, async (connection) => {
        await walkByIndex(connection);
        await gradeExperiments(connection, { nowMs: nowMs + DAY_MS });
        // Where a studio has no reporting currency.
        await findUsualCurrency(connection, [1, 2, 3], new Date(nowMs).toISOString().slice(0, 10));
      }),
    reads: {
      tables: ['games', 'players', 'player_days', 'experiment_grades'],
      why: 'games are looked at 200 at a time, players in chunks with their days, and the verdicts of 28 nights; whether there are more than 100,000 players is counted by the index',
      atMost: 100_001,
    },
  },
  { what: 'find_experiment_standing', call: ({ service }) => findStanding(service, gameId) },
  {
    what: 'list_experiment_standings',
    call: ({ service }) => listStandings(service, 200),
    reads: { tables: ['games'], why: 'the metrics tell of all games that are graded', atMost: 'all' },
  },
  {
    what: 'an experiment by groups',
    call: async ({ admin, nowMs }) => {
      const to = new Date(nowMs + DAY_MS).toISOString().slice(0, 10);
      const { primary: metric } = RUNNING.metrics;
      const spans = [{ since: 0, before: Number.POSITIVE_INFINITY }];
      for (const by of EXPLORED) {
        const grouping = by === 'segment' ? { by, segmentId: 'payers', spans } : { by };
        await exploreExperiment(admin, {
          ...{ gameId, experiment: RUNNING, metric, grouping, to },
          maxPlayers: 1_000,
        });
      }
    },
    reads: {
      tables: ['experiment_exposures', 'players', 'player_days'],
      why: 'exposures in chunks with the players and their days',
      atMost: 5_000,
    },
  },
  {
    what: 'a game without experiments, for the lists that follow',
    call: ({ admin }) => admin.query(`update games set running_experiments = null where id = ${gameId}`),
  },
];
