import type { RealService } from '../../../sdk/test/support/real-service.js';
import { DEMO } from '../../../server/src/app/demo-studio.js';
import { ensureEventPartitions } from '../../../server/src/core/events/storage/event-partitions.js';
import type { ExperimentEntry } from '../../../server/src/decide/document/parts/experiments.js';
import type { Report } from '../../../server/src/experiments/report/report-types.js';
import { insertGame } from '../../../server/src/platform/admin-api/tenants.js';
import { createApiKey } from '../../../server/src/studio/games-and-keys/key-changes.js';
import { experiment, value } from '../../../server/test/decide/support/fixtures.js';
import { sum } from '../../../server/test/experiments/support/experiment-world.js';
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

export type Rehearsed<Look> = {
  game: string;
  /** Players by the arm that they were told. */
  told: Readonly<Record<string, number>>;
  /** What was seen each day, in their order. */
  looks: readonly Look[];
  /** The sentence after the end. */
  sentence: string;
};

/** What the studio does with the experiment `tried`: by the admin API, or at the console. */
export type Conduct<Look> = {
  /** Plans and starts it. */
  start(game: string, tried: ExperimentEntry): Promise<void>;
  look(game: string): Promise<Look>;
  /** Makes an arm the default by what was last seen, and returns the sentence that is shown then. */
  end(game: string, last: Look | undefined): Promise<string>;
};

/** By the admin API. */
export function rehearseExperiment(world: World, rehearsal: Rehearsal): Promise<Rehearsed<Report>> {
  return conductExperiment(world, rehearsal, byAdminApi(world.admin));
}

/** Plans, runs, looks at and ends an experiment in a game of its own. Its players react. */
export async function conductExperiment<Look>(
  world: World,
  rehearsal: Rehearsal,
  conduct: Conduct<Look>,
): Promise<Rehearsed<Look>> {
  const { service } = world;
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
  await conduct.start(game, tried);
  const looks: Look[] = [];
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
      looks.push(await conduct.look(game));
    },
  });
  return { game, told, looks, sentence: await conduct.end(game, looks.at(-1)) };
}

function byAdminApi(admin: AdminClient): Conduct<Report> {
  const pathOf = (game: string) => `/games/${game}/experiments/tried`;
  const read = <T>(game: string) => admin.ask<T>('GET', pathOf(game), undefined, admin.tokens.viewer);
  return {
    async start(game, tried) {
      const values = [READING];
      await publishParts(admin, game, { experiments: [tried], values });
      await publishParts(admin, game, { experiments: [{ ...tried, state: 'running' }], values });
    },
    look: async (game) => (await read<{ report: Report }>(game)).report,
    async end(game, last) {
      const winner = last?.metrics[0]?.arms[1]?.comparison?.state === 'higher' ? 'b' : 'a';
      const body = { winner, note: 'rehearsed' };
      await admin.ask('POST', `${pathOf(game)}/end`, body, admin.tokens.editor, 201);
      return (await read<{ sentence: string }>(game)).sentence;
    },
  };
}

async function addGame({ service }: World, game: string) {
  const { pool, masterKeys, clock } = service;
  await insertGame(pool, DEMO.tenant, game, game);
  const place = { tenant: DEMO.tenant, game, environment: 'development', label: game } as const;
  const key = await createApiKey(pool, masterKeys, place, { name: 'test', nowMs: clock.now() });
  if (key === undefined) throw new Error(`there is no game ${game}`);
  return key;
}

/** A value depends on the arm, so every player who logs in is told it. */
export const READING = value('gems', {
  rules: [{ when: 'experiment("tried") == "b"', sharePercent: 100, value: 2 }],
});

type Draft = { revision: number; document: object };

/** Changes these parts of the document, and publishes it. */
export async function publishParts(admin: AdminClient, game: string, parts: object): Promise<void> {
  const path = `/games/${game}/draft`;
  const { revision, document } = await admin.ask<Draft>('GET', path);
  const saved = await admin.ask<Draft>('PUT', path, { revision, document: { ...document, ...parts } });
  await admin.ask('POST', `${path}/publish`, { revision: saved.revision, note: '' }, undefined, 201);
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
