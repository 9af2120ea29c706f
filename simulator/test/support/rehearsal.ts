import type { RealService } from '../../../sdk/test/support/real-service.js';
import { insertGame } from '../../../server/src/admin/tenants.js';
import { DEMO } from '../../../server/src/app/demo-studio.js';
import { ensureEventPartitions } from '../../../server/src/features/events/storage/event-partitions.js';
import type { Report } from '../../../server/src/features/experiments/report/report-types.js';
import { createApiKey } from '../../../server/src/features/studios/key-changes.js';
import type { ExperimentEntry } from '../../../server/src/personalisation/document/parts/experiments.js';
import { sum } from '../../../server/test/features/experiments/support/experiment-world.js';
import { experiment, value } from '../../../server/test/personalisation/support/fixtures.js';
import type { AdminClient } from '../../../server/test/support/admin-calls.js';
import type { Reactions } from '../../src/model/reaction.js';
import { DAY_MS, type Habits, HOUR_MS } from '../../src/model/simulation.js';
import { rehearse } from '../../src/rehearse.js';

export type World = { service: RealService; admin: AdminClient };

export type Rehearsal = {
  seed: number;
  players: number;
  /** Players install the game on the first days, and play on all of them. */
  installDays: number;
  days: number;
  habits: Habits;
  /** The start of the first day. */
  fromMs: number;
  metrics: ExperimentEntry['metrics'];
  /** Of the experiment `tried`, whose control is `a`. */
  changes: Reactions['changes'];
};

export type Rehearsed = {
  game: string;
  /** Players by the arm that they were told. */
  told: Readonly<Record<string, number>>;
  /** The report of each day, in their order. */
  looks: readonly Report[];
  /** The sentence after the end. */
  sentence: string;
};

/** Plans, runs, looks at and ends an experiment in a game of its own, by the admin API. Its players react. */
export async function rehearseExperiment(world: World, rehearsal: Rehearsal): Promise<Rehearsed> {
  const { service, admin } = world;
  const { seed, players, installDays, days, habits, fromMs, metrics, changes } = rehearsal;
  const { clock, pool } = service;
  clock.set(fromMs);
  const game = `rehearsal-${seed}`;
  const key = await addGame(world, game);
  const tried = experiment('tried', {
    metrics,
    state: 'planned',
    plan: { smallestEffect: { percent: 20 }, players, days },
  });
  await publish(admin, game, tried);
  await publish(admin, game, { ...tried, state: 'running' });

  const looks: Report[] = [];
  const path = `/games/${game}/experiments/tried`;
  const told = await rehearse({
    service: { url: service.baseUrl, apiKey: key.keyId, apiSecret: key.secret },
    simulation: { seed, players, days: installDays, habits, endMs: fromMs + installDays * DAY_MS - 1 },
    days,
    run: game,
    reactions: { experimentId: 'tried', changes },
    clients: 16,
    async onDay(endMs) {
      clock.set(endMs);
      await ensureEventPartitions(pool, endMs);
    },
    async onDayPlayed(endMs) {
      clock.set(endMs + HOUR_MS);
      await sum(service, { nowMs: clock.now() });
      const { report } = await admin.ask<{ report: Report }>('GET', path, undefined, admin.tokens.viewer);
      looks.push(report);
    },
  });
  const winner = looks.at(-1)?.metrics[0]?.arms[1]?.comparison?.state === 'higher' ? 'b' : 'a';
  await admin.ask('POST', `${path}/end`, { winner, note: 'rehearsed' }, admin.tokens.editor, 201);
  const { sentence } = await admin.ask<{ sentence: string }>('GET', path, undefined, admin.tokens.viewer);
  return { game, told, looks, sentence };
}

async function addGame({ service }: World, game: string) {
  const { pool, masterKeys, clock } = service;
  await insertGame(pool, DEMO.tenant, game, game);
  const place = { tenant: DEMO.tenant, game, environment: 'development', label: game } as const;
  const key = await createApiKey(pool, masterKeys, place, { name: 'test', nowMs: clock.now() });
  if (key === undefined) throw new Error(`there is no game ${game}`);
  return key;
}

type Draft = { revision: number; document: object };

/** A value depends on the arm, so every player who logs in is told it. */
async function publish(admin: AdminClient, game: string, entry: ExperimentEntry): Promise<void> {
  const reading = value('gems', {
    rules: [{ when: 'experiment("tried") == "b"', sharePercent: 100, value: 2 }],
  });
  const path = `/games/${game}/draft`;
  const { revision, document } = await admin.ask<Draft>('GET', path);
  const changed = { ...document, experiments: [entry], values: [reading] };
  const saved = await admin.ask<Draft>('PUT', path, { revision, document: changed });
  await admin.ask('POST', `${path}/publish`, { revision: saved.revision, note: entry.state }, undefined, 201);
}

type Counted = { variantId: string; players: number; converted: number };

/** Players in each arm up to the end of a day, and those of them who bought something: by SQL over the tables. */
export async function countExposed({ service }: World, game: string, to: string): Promise<Counted[]> {
  const { rows } = await service.pool.query<Counted>(
    `select e.variant_id as "variantId", count(*)::int as players,
       count(*) filter (where (
         select sum(d.purchases) from player_days d
         where d.player_id = e.player_id and d.day between (e.exposed_at at time zone 'UTC')::date and $2::date
       ) > 0)::int as converted
     from experiment_exposures e join games g on g.id = e.game_id
     where g.slug = $1 and (e.exposed_at at time zone 'UTC')::date <= $2::date
     group by 1 order by 1`,
    [game, to],
  );
  return rows;
}
