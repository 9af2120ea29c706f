import pg from 'pg';
import { attachToEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/attach.js';
import { runSavepoint } from '../support/service.js';
import { type Expectation, expectTotals, type Totals } from './expectation.js';
import type { Plan } from './numbered-events.js';
import type { Stack } from './stack.js';

export type Verification = {
  stored: number;
  /** Acknowledged and not stored, or stored and not counted. */
  lost: number;
  /** Stored or counted more than once. */
  doubled: number;
  /** A sentence for every error. */
  problems: string[];
};

type Options = {
  plan: Plan;
  stack: Stack;
  /** By number of the player. */
  userIds: readonly string[];
  isAcknowledged: (number: number) => boolean;
  isSent: (number: number) => boolean;
};

const MAX_PROBLEMS = 20;
/** The players' game. */
const GAME_ID = "(select id from games where slug = 'demo-game')";

/** Compares the database with what the players have sent and what was acknowledged. */
export async function verify(options: Options): Promise<Verification> {
  return withDatabase(options.stack, async (client) => {
    const copies = await countCopies(client, options.plan.events);
    const verification = checkStored(options, copies);
    // Events that were not acknowledged may be stored or not; those that are count like the rest.
    const counts = (number: number) => options.isAcknowledged(number) || (copies[number] ?? 0) > 0;
    const expected = expectTotals(options.plan, counts);
    await checkTotals(client, expected, options.userIds, verification);
    await checkFailedEvents(client, verification);
    await checkGaps(client, options, verification);
    await checkRecount(options.stack, verification);
    return verification;
  });
}

export async function withDatabase<T>(
  { dataDir }: Pick<Stack, 'dataDir'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const url = await attachToEmbeddedPostgres(dataDir);
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  // Queries report the error, too; without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** How often each event is stored, by its number. */
export async function countCopies(client: pg.Client, events: number): Promise<Uint8Array> {
  const copies = new Uint8Array(events);
  const { rows } = await client.query<{ n: number; copies: number }>(
    `select (payload ->> 'n')::int as n, count(*)::int as copies from events where game_id = ${GAME_ID} and payload ? 'n' group by 1`,
  );
  for (const { n, copies: count } of rows) copies[n] = count;
  return copies;
}

export function checkStored(
  { plan, isAcknowledged, isSent }: Pick<Options, 'plan' | 'isAcknowledged' | 'isSent'>,
  copies: Uint8Array,
): Verification {
  const verification: Verification = { stored: 0, lost: 0, doubled: 0, problems: [] };
  for (let number = 0; number < plan.events; number++) {
    const count = copies[number] ?? 0;
    verification.stored += count;
    if (count === 0 && isAcknowledged(number)) {
      verification.lost++;
      addProblem(verification, `event ${number} was acknowledged and is not stored`);
    }
    if (count > 1) {
      verification.doubled += count - 1;
      addProblem(verification, `event ${number} is stored ${count} times`);
    }
    if (count > 0 && !isSent(number))
      addProblem(verification, `event ${number} is stored and was never sent`);
  }
  return verification;
}

type TotalsRow = {
  key: string;
  events: number;
  eventCounts: Record<string, number>;
  purchases: number;
  spend: Record<string, string>;
};

// The decimals of a jsonb as texts: a double would round them.
const EXACT = (column: string) =>
  `(select coalesce(jsonb_object_agg(key, trim_scale(value::numeric)::text) filter (where value::numeric <> 0), '{}')
    from jsonb_each_text(${column}))`;

const PLAYERS = `
  select user_id::text as key, event_count::int as events, event_counts as "eventCounts", purchase_count as purchases,
    ${EXACT('spend')} as spend
  from players
  where game_id = ${GAME_ID}`;

const PLAYER_DAYS = `
  select p.user_id || ' ' || d.day as key, d.events, d.event_counts as "eventCounts", d.purchases,
    ${EXACT('d.revenue')} as spend
  from player_days d
  join players p on p.id = d.player_id
  where p.game_id = ${GAME_ID}`;

const GAME_DAYS = `
  with types as (
    select day, jsonb_object_agg(event_type, n) as counts
    from (select day, event_type, sum(events) as n from game_event_types where game_id = ${GAME_ID} group by 1, 2) t
    group by day
  ), amounts as (
    select day, jsonb_object_agg(currency, amount) as revenue
    from (
      select day, r.key as currency, sum(r.value::numeric) as amount
      from game_days cross join jsonb_each_text(revenue) r
      where game_id = ${GAME_ID}
      group by 1, 2
    ) a
    group by day
  )
  select day::text as key, sum(events)::int as events, coalesce(t.counts, '{}') as "eventCounts",
    sum(purchases)::int as purchases, ${EXACT("coalesce(a.revenue, '{}')")} as spend
  from game_days
  left join types t using (day)
  left join amounts a using (day)
  where game_id = ${GAME_ID}
  group by day, t.counts, a.revenue`;

async function checkTotals(
  client: pg.Client,
  expected: Expectation,
  userIds: readonly string[],
  verification: Verification,
): Promise<void> {
  const byUser = <Value>(entries: Iterable<[string, Value]>) =>
    new Map(
      [...entries].map(([key, value]) => {
        const [player = '', ...day] = key.split(' ');
        return [[userIds[Number(player)], ...day].join(' '), value];
      }),
    );
  const players = byUser([...expected.players].map(([player, totals]) => [String(player), totals]));
  await compare(client, 'players', PLAYERS, players, verification);
  await compare(client, 'player_days', PLAYER_DAYS, byUser(expected.playerDays), verification);
  await compare(client, 'game_days', GAME_DAYS, expected.gameDays, verification);
}

const NOTHING: Totals = { events: 0, eventCounts: {}, purchases: 0, spend: {} };

async function compare(
  client: pg.Client,
  table: string,
  sql: string,
  expected: ReadonlyMap<string, Totals>,
  verification: Verification,
): Promise<void> {
  const { rows } = await client.query<TotalsRow>(sql);
  const kept = new Map(rows.map(({ key, ...totals }) => [key, totals]));
  let lost = 0;
  let doubled = 0;
  for (const key of new Set([...kept.keys(), ...expected.keys()])) {
    const is = kept.get(key) ?? NOTHING;
    const shouldBe = expected.get(key) ?? NOTHING;
    lost += Math.max(0, shouldBe.events - is.events);
    doubled += Math.max(0, is.events - shouldBe.events);
    if (text(is) !== text(shouldBe)) {
      addProblem(verification, `${table} ${key}: ${text(is)} instead of ${text(shouldBe)}`);
    }
  }
  // The tables describe the same events, so their numbers are not added up.
  verification.lost = Math.max(verification.lost, lost);
  verification.doubled = Math.max(verification.doubled, doubled);
}

/** The same text for the same totals, whatever the order of members. */
function text({ events, eventCounts, purchases, spend }: Totals): string {
  const sorted = (members: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ events, eventCounts: sorted(eventCounts), purchases, spend: sorted(spend) });
}

/** No event of a run is invalid: one in the inbox was rejected for another failure. */
async function checkFailedEvents(client: pg.Client, verification: Verification): Promise<void> {
  const { rows } = await client.query<{ code: string; message: string; n: number }>(
    'select code, min(message) as message, count(*)::int as n from failed_events group by code',
  );
  for (const { code, message, n } of rows) {
    addProblem(verification, `${n} good events are in the failed-events inbox: ${code}, ${message}`);
  }
}

/** No event that arrived is reported as missing. */
async function checkGaps(
  client: pg.Client,
  { plan, isAcknowledged }: Options,
  verification: Verification,
): Promise<void> {
  let unacknowledged = 0;
  for (let number = 0; number < plan.events; number++) if (!isAcknowledged(number)) unacknowledged++;
  const { rows } = await client.query<{ missing: number }>(
    'select coalesce(sum(last_seq - first_seq + 1), 0)::int as missing from event_gaps',
  );
  const missing = rows[0]?.missing ?? 0;
  if (missing > unacknowledged) {
    addProblem(
      verification,
      `${missing} numbers are missing, but only ${unacknowledged} events were not acknowledged`,
    );
  }
}

/** The service's own recount of players, days, roll-ups and cohorts, as an operator runs it. */
async function checkRecount({ settings }: Stack, verification: Verification): Promise<void> {
  const { code, output } = await runSavepoint(
    ['rollups', 'check', '--tenant', 'demo-studio', '--game', 'demo-game'],
    // The short time-out is for the service only.
    { ...settings, SAVEPOINT_DB_TIMEOUT_MS: '60000' },
  );
  if (code !== 0) addProblem(verification, `savepoint rollups check: ${output}`);
}

function addProblem({ problems }: Verification, sentence: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push(sentence);
}
