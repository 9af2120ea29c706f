// What the API cannot do, because it trusts no clock but its own: players who first logged in weeks ago. For pictures only.
import pg from 'pg';
import { sumExperiments } from '../server/dist/experiments/sum-experiments.js';
import { withDedicatedConnection } from '../server/dist/platform/db/dedicated-connection.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { attachToEmbeddedPostgres } from '../server/dist/platform/embedded-postgres/attach.js';

/** The simulated players have played for weeks, but all of them have logged in today: this lets them have come when they first played. */
const BACKDATE = [
  'update players set created_at = first_event_at where first_event_at < created_at',
  'update devices d set created_at = p.created_at from players p where p.id = d.player_id',
  // The older version was in force from the start on.
  "update config_versions set published_at = now() - interval '80 days'",
  'update game_days set new_players = 0',
  `insert into game_days (game_id, day, shard, new_players)
   select game_id, (created_at at time zone 'UTC')::date, -1, count(*) from players group by 1, 2
   on conflict (game_id, day, shard) do update set new_players = excluded.new_players`,
  'delete from game_cohorts',
  `insert into game_cohorts (game_id, cohort_day, active_day, shard, players)
   select p.game_id, (p.created_at at time zone 'UTC')::date, d.day, -1, count(*)
   from players p join player_days d on d.player_id = p.id where d.events > 0 group by 1, 2, 3`,
];

/** A training tests its models on weeks that they have not seen. In a game that has run for long, grades say the same of what was told. */
const GRADES = `
  insert into prediction_grades (game_id, day, model, model_version, was_told, metrics, health, graded_at)
  select m.game_id, date '1970-01-01' + (o ->> 'originDay')::int + 7, r ->> 'model', m.version, true, o, 'green', now()
  from prediction_models m, jsonb_array_elements(m.report -> 'models') r, jsonb_array_elements(r -> 'origins') o
  on conflict do nothing`;

async function withDatabase(dataDir, work) {
  const client = new pg.Client({ connectionString: await attachToEmbeddedPostgres(dataDir) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function backdatePlayers(dataDir) {
  return withDatabase(dataDir, async (client) => {
    for (const statement of BACKDATE) await client.query(statement);
  });
}

export function addGrades(dataDir) {
  return withDatabase(dataDir, (client) => client.query(GRADES));
}

/** The newest version was published some days ago, and is a mark in the charts. */
export function backdateVersion(dataDir) {
  return withDatabase(dataDir, (client) =>
    client.query(
      "update config_versions set published_at = now() - interval '9 days' where published_at > now() - interval '1 day'",
    ),
  );
}

/** A value, an own attribute, an offer with a schedule, and an experiment that has run for weeks. */
export function withLiveOps(document) {
  const [offer, ...offers] = document.offers;
  return {
    ...document,
    calendar: { studioZone: 'Europe/Berlin' },
    offers: [
      {
        ...offer,
        schedule: {
          days: { every: 'week', weekdays: [5, 6, 7] },
          ...{ from: '18:00', to: '22:00', zone: 'player', firstDate: null, lastDate: null, except: [] },
        },
      },
      ...offers,
    ],
    values: [
      {
        ...{ key: 'jump_height', type: { kind: 'integer', minimum: 1, maximum: 9 }, defaultValue: 3 },
        ...{ description: 'In tiles', visibleTo: 'clients' },
        rules: [{ when: 'experiment("high_jump") == "b"', sharePercent: 100, value: 4 }],
      },
      {
        ...{ key: 'greeting', type: 'string', defaultValue: 'Welcome back!', visibleTo: 'clients' },
        ...{ description: '', rules: [] },
      },
    ],
    attributes: [
      {
        ...{ attributeId: 'level', description: 'The highest level', eventType: 'Level_Complete' },
        ...{ member: 'payload.level', fold: 'max', type: 'integer' },
      },
    ],
    experiments: [
      {
        ...{ experimentId: 'high_jump', name: 'A higher jump', when: null, coveragePercent: 100, seed: '1' },
        hypothesis: 'Levels that are won more easily keep more players.',
        variants: [
          { variantId: 'a', name: 'Three tiles', weight: 1 },
          { variantId: 'b', name: 'Four tiles', weight: 1 },
        ],
        metrics: {
          primary: { kind: 'share', of: 'retained', day: 7 },
          secondary: [{ kind: 'sum', sum: { of: 'sessions' } }],
          guardrails: [{ metric: { kind: 'share', of: 'converted' }, worse: 'lower', marginPercent: 20 }],
        },
        ...{ plan: { smallestEffect: { points: 5 }, players: 2000, days: 28 }, state: 'running' },
      },
    ],
  };
}

/** As if the experiment had run for four weeks: each player was exposed with the first event in that time. */
const EXPOSE = [
  "update config_versions set published_at = now() - interval '28 days' where document -> 'experiments' is not null",
  `insert into experiment_exposures (player_id, game_id, experiment_id, seed, variant_id, exposed_at)
   select p.id, p.game_id, 'high_jump', '1', case when p.id % 2 = 0 then 'a' else 'b' end,
     min(d.day)::timestamp at time zone 'UTC' + interval '12 hours'
   from players p join player_days d on d.player_id = p.id and d.day > now()::date - 28 and d.day < now()::date
   group by p.id
   on conflict do nothing`,
];

export async function exposePlayers(dataDir) {
  await withDatabase(dataDir, async (client) => {
    for (const statement of EXPOSE) await client.query(statement);
  });
  const url = await attachToEmbeddedPostgres(dataDir);
  const pool = createPool({ url, size: 2, timeoutMs: 60_000, onError: console.error });
  await withDedicatedConnection(pool, (connection) =>
    sumExperiments(connection, { pool, nowMs: Date.now() }),
  );
  await pool.end();
}
