import type pg from 'pg';
import { PLAYER_TABLES } from '../../../../src/platform/db/player-tables.js';

/**
 * The tables that stay small on every installation, so that reading all of one is fine. All others grow with players, games
 * or time: a statement looks their rows up by index. A new table is large unless it is named here.
 */
export const SMALL_TABLES: readonly string[] = [
  'tenants',
  'signing_keys',
  'signing_key_state',
  'schema_migrations',
  // A row a day, and a row for each transaction that writes to a closed day while that is rewritten.
  'event_block_days',
  'event_block_changes',
  // A row a day, and a row for each file that is due.
  'event_file_days',
  'event_file_changes',
  // A hundred of each studio at most.
  'export_jobs',
  // A row for each file that somebody has imported.
  'history_imports',
  'device_forgetting',
  // Windows in which a person edits now.
  'draft_editors',
  // A hundred of each game at most.
  'jobs',
  // One row.
  'erasure_key',
  // A row for each experiment, and for each of its arms.
  'experiment_runs',
  'experiment_erased',
  // A row for each game that asks Google about purchases.
  'google_accounts',
];

/** For an installation that has just begun. */
export const A_FEW = 3;

/** Numbers in the fill that the calls on the lists rely on. */
export const WORLD = {
  tenantId: 1,
  tenant: 'studio-1',
  /** Nearly everything belongs to this game. */
  gameId: 1,
  game: 'game-1',
  /** This game has hardly anything. */
  quietGameId: 2,
  playerId: '1',
  userId: uuidOf('user', 1),
  userIds: [uuidOf('user', 1), uuidOf('user', 2), uuidOf('user', 3)],
  sessionIds: [uuidOf('session', 1), uuidOf('session', 2)],
} as const;

function uuidOf(kind: string, n: number): string {
  return `${{ user: '00000001', session: '00000002' }[kind]}-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** `n` as the text of a uuid, as `uuidOf` gives it. */
const USER_UUID = "('00000001-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
const SESSION_UUID = "('00000002-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
const ROWS = 'generate_series(1, $1::int) n';
/** A tenth of the rows: games, and what there is one of for each game. */
const GAMES = 'generate_series(1, greatest(3, $1::int / 10)) n';
/** Rows of all games in turn. */
const SOME_GAME = '1 + n % greatest(3, $1::int / 10)';

const FILLS = [
  `insert into tenants (id, slug, name) overriding system value select n, 'studio-' || n, '' from generate_series(1, 3) n
   where $1 > 0`,
  `insert into admin_tokens (token_id, tenant_id, name, role, token_hash, created_at, created_by_account)
   select lpad(n::text, 16, '0'), 1 + n % 3, '', 'owner', sha256(''), now(), ${USER_UUID} from ${ROWS}`,
  `insert into accounts (id, email, email_key, name, created_at)
   select ${USER_UUID}, 'a-' || n || '@b', 'a-' || n || '@b', '', now() from ${ROWS}`,
  `insert into studio_members (tenant_id, account_id, role, joined_at)
   select 1 + n % 3, ${USER_UUID}, case when n < 7 then 'owner' else 'viewer' end, now() from ${ROWS}`,
  `insert into account_sessions (token_hash, account_id, created_at, seen_at, expires_at)
   select sha256(convert_to(n::text, 'UTF8')), ${USER_UUID}, now(), now(), now() + interval '1 day' from ${ROWS}`,
  `insert into sign_in_links (token_hash, account_id, expires_at)
   select sha256(convert_to(n::text, 'UTF8')), ${USER_UUID}, now() + interval '1 day' from ${ROWS}`,
  `insert into account_recovery_codes (account_id, code_hash)
   select ${USER_UUID}, sha256(convert_to(n::text, 'UTF8')) from ${ROWS}`,
  `insert into invitations (id, tenant_id, email, email_key, role, token_hash, invited_by, created_at, expires_at,
     invited_by_account, invited_by_token)
   select ${USER_UUID}, 1 + n % 3, '', 'i-' || n || '@b', 'viewer', sha256(convert_to(n::text, 'UTF8')), '', now(),
     now() + interval '1 day', ${USER_UUID}, lpad(n::text, 16, '0') from ${ROWS}`,
  `insert into export_chunks (job_id, number, data) select ${USER_UUID}, 1, '' from ${ROWS}`,
  `insert into games (id, tenant_id, slug, name, published_version, retention_days) overriding system value
   select n, 1 + (n - 1) % 3, 'game-' || n, '', 0, 10 from ${GAMES}`,
  `insert into api_keys (key_id, game_id, environment, sealed_secret) select 'key-' || n, n, 'production', '' from ${GAMES}`,
  `insert into audit_log (tenant_id, game_id, at, actor, action, target)
   select 1, case when n < 3 then 2 else 1 end, now(), '', '', '' from ${ROWS}`,
  `insert into config_drafts (game_id, revision, updated_by, updated_at) select n, 1, '', now() from ${GAMES}`,
  `insert into config_versions (game_id, version, document, author, published_at)
   select ${SOME_GAME}, 1000 + n / greatest(3, $1::int / 10), '{}', '', now() - interval '1 day' from ${ROWS}`,
  `insert into sku_pictures (game_id, sku_id, media_type, content, updated_at)
   select ${SOME_GAME}, 'sku-' || n, 'image/png', '', now() from ${ROWS}`,
  `insert into own_attribute_sets (game_id, version, definitions, created_at, finished_at)
   select ${SOME_GAME}, n, '[]', now(), now() from ${ROWS}`,
  `insert into segment_size_days (game_id, day, version, players, sizes)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 1, 1, '{}' from ${ROWS}`,
  `insert into event_types (game_id, event_type, version, schema, author, created_at)
   select ${SOME_GAME}, 'type-' || n, 1, '{}', '', now() from ${ROWS}`,
  `insert into players (id, game_id, user_id, created_at, last_event_at, event_count, purchase_count, spend, overrides_at,
     stays_at)
   select n, 1, ${USER_UUID}, now() - interval '2 days', now(),
     case n when 3 then 2 else 1 end, 1, jsonb_build_object('USD', n), now(), now()
   from ${ROWS}`,
  // Of many other games: an index that begins with the game must not be searched by the player alone.
  `insert into players (id, game_id, user_id, created_at)
   select 1000000 + n, 1 + ${SOME_GAME}, gen_random_uuid(), now() from ${ROWS} where $1 > 100`,
  `insert into devices (game_id, device_id, player_id, created_at) select 1, 'device-' || n, n, now() from ${ROWS}`,
  `insert into sessions (id, player_id, device_id, key_id, created_at, expires_at, tag_key, current_hash)
   select ${SESSION_UUID}, n, 'device-' || n, 'key-1', now(), now() + interval '1 day', '', '' from ${ROWS}`,
  `insert into player_days (player_id, day, events, purchases) select n, current_date, 1, 1 from ${ROWS}`,
  `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
   select n, now(), 1, 1, now(), now(), '[["A", "2026-11-15T12:00:00.000Z", {}, {}]]' from ${ROWS}`,
  `insert into event_identities (generation, player_id, identities)
   select date_trunc('quarter', now())::date, n, array[${USER_UUID}] from ${ROWS}`,
  `insert into event_installs (player_id, install_id, seen) select n, 'install', '{[1,2)}' from ${ROWS}`,
  `insert into event_gaps (player_id, install_id, first_seq, last_seq, game_id, noticed_at)
   select n, 'install', 2, 3, 1, now() from ${ROWS}`,
  `insert into transactions (game_id, transaction_id, player_id, purchased_at, identity, price, currency, promo_id)
   select 1, 'transaction-' || n, n, now(), ${USER_UUID}, 1, 'USD', 'promo' from ${ROWS}`,
  // Any number of players may name the id of another player's purchase.
  `insert into transactions (game_id, transaction_id, player_id, purchased_at, identity, price, currency)
   select 1, 'transaction-2', 2000000 + n, now(), ${USER_UUID}, 1, 'USD' from ${ROWS} where $1 > 100`,
  `insert into transaction_changes (player_id, transaction_id, kind, at, game_id, share, refunded_at, recorded_at)
   select n, 'transaction-' || n, 'notice', now(), 1, 0, null, now() from ${ROWS}`,
  `insert into store_notifications (game_id, store, notification_id, type, transaction_id, signed_at, share, received_at)
   select 1, 'apple', 'n-' || n, 'REFUND', 'transaction-' || n, now(), 1, now() from ${ROWS}`,
  `insert into game_stores (game_id, settings, updated_at) select n, '{"apple":null,"google":null,"counts":"everything","maxPrices":{},"testers":[]}', now() from ${GAMES}`,
  `insert into google_purchases (game_id, transaction_id, purchase_token, product_id, stored_at, due_at)
   select 1, 'transaction-' || n, '', '', now(), now() + interval '1 day' from ${ROWS}`,
  `insert into player_promotions (player_id, promo_id, purchases) select n, 'promo', 1 from ${ROWS}`,
  `insert into failed_events (id, game_id, player_id, fingerprint, code, message, raw, received_at, transaction_id)
   overriding system value
   select n, 1, n, ${USER_UUID}, 'event_invalid', '',
     '{"eventType":"A","timestamp":"2026-11-15T12:00:00Z","payload":{}}', now(), 'refused-' || n from ${ROWS}`,
  `insert into player_notes (player_id, text, author, created_at) select n, '', '', now() from ${ROWS}`,
  `insert into player_exports (player_id, started_at) select n, now() - interval '1 day' from ${ROWS}`,
  `insert into player_keys (player_id) select n from ${ROWS}`,
  `insert into event_files (game_id, day, generation, file, events, bytes, sha256, written_at)
   select ${SOME_GAME}, current_date - 9 - n / greatest(3, $1::int / 10), 1, '', 1, 1, '', now() from ${ROWS}`,
  `insert into erasure_codes (player_id, game_id, code_hash, created_at, expires_at)
   select n, 1, int4send(n), now(), now() + interval '1 day' from ${ROWS}`,
  `insert into failed_event_totals (game_id, entries, bytes) select n, 1, 2 from ${GAMES}`,
  `insert into flag_overrides (player_id, flag_id, value, reason, author, set_at) select n, 'vip', true, '', '', now()
   from ${ROWS}`,
  `insert into player_pins (player_id, kind, target, value, reason, author, set_at)
   select n, 'value', 'jump_height', '5', '', '', now() from ${ROWS}`,
  `insert into segment_stays (game_id, player_id, segment_id, thresholds, entered_at, entered_value)
   select 1, n, 'leaving', '', now(), 1 from ${ROWS}`,
  `insert into segment_stays (game_id, player_id, segment_id, thresholds, entered_at, entered_value, left_at)
   select 1, n, 'leaving', '', now() - interval '1 hour', 1, now() from ${ROWS}`,
  `insert into experiment_exposures (game_id, player_id, experiment_id, seed, variant_id, exposed_at)
   select 1, n, 'price_test', '1', 'b', now() from ${ROWS}`,
  `insert into experiment_sums (game_id, experiment_id, seed, day, variant_id, players, recent_players, two_arms, erased, metrics)
   select ${SOME_GAME}, 'price_test', 'old', current_date - n / greatest(3, $1::int / 10), 'a', 0, 0, 0, 0, '{}' from ${ROWS}`,
  `insert into experiment_reports (game_id, experiment_id, seed, day, report, made_at)
   select ${SOME_GAME}, 'price_test', 'old', current_date - n / greatest(3, $1::int / 10), '{}', now() from ${ROWS}`,
  `insert into experiment_grades (game_id, night, kind, from_day, to_day, players, verdicts, made_at)
   select ${SOME_GAME}, current_date - (n / greatest(3, $1::int / 10)), 'week', current_date, current_date, 0, '[]', now() from ${ROWS}`,
  `insert into experiment_gradings (game_id, night, standing, made_at)
   select n, current_date + case when n = 1 then -30 else 30 end, '{}', now() from ${GAMES}`,
  `insert into game_days (game_id, day, shard) select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 0
   from ${ROWS}`,
  `insert into game_event_types (game_id, day, event_type, shard)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 'A', 0 from ${ROWS}`,
  `insert into game_cohorts (game_id, cohort_day, active_day, shard)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), current_date, 0 from ${ROWS}`,
  // Nearly all are done, and wait for nothing.
  `insert into erasures (id, game_id, player_id, user_id, player_hash, state, requested_by, requested_at, due_at)
   select ('00000003-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, case when n <= 2 then n end,
     case when n <= 2 then ${USER_UUID} end, sha256(convert_to(n::text, 'UTF8')),
     case n when 1 then 'waiting' when 2 then 'erasing' else 'done' end, '', now(), now() - interval '1 day'
   from ${ROWS}`,
  `insert into erased_days (game_id, day, name, value)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 'events', 1 from ${ROWS}`,
  `insert into erased_cohorts (game_id, cohort_day, active_day, players)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), current_date, 1 from ${ROWS}`,
  `insert into erased_transactions (game_id, day, order_hash)
   select ${SOME_GAME}, current_date, sha256(convert_to(n::text, 'UTF8')) from ${ROWS}`,
  `insert into reporting_rates (tenant_id, version, currency, rates, author, created_at)
   select 1 + n % 3, n + 1, 'USD', '[]', '', now() from ${ROWS}`,
  `insert into game_active_players (game_id, day, weekly, monthly)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 1, 1 from ${ROWS}`,
  `insert into game_breakdown_days (game_id, day, totals, summed_at)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), '{}', now() from ${ROWS}`,
  `insert into game_breakdowns
   select ${SOME_GAME}, 'country', current_date - n / greatest(3, $1::int / 10), false, 'DE', 1, 1, 1, 1, '{}', 1, 1, 1, 1
   from ${ROWS}`,
  `insert into breakdown_sums
   select ${SOME_GAME}, 'country', current_date - n / greatest(3, $1::int / 10), false, 'FR', 1, 1, 1, 1, '{}', 1, 1, 1, 1
   from ${ROWS}`,
  `insert into game_install_cohorts (game_id, period, cohort, dimension, is_remainder, value, players)
   select ${SOME_GAME}, 'week', current_date - n / greatest(3, $1::int / 10), 'country', false, 'DE', 1 from ${ROWS}`,
  `insert into game_install_revenue (game_id, period, cohort, dimension, is_remainder, value, age, currency, revenue)
   select ${SOME_GAME}, 'week', current_date - n / greatest(3, $1::int / 10), 'country', false, 'DE', 0, 'EUR', 1 from ${ROWS}`,
  `insert into install_cohort_sums (game_id, period, cohort, dimension, is_remainder, value, players)
   select ${SOME_GAME}, 'week', current_date - n / greatest(3, $1::int / 10), 'country', false, 'FR', 1 from ${ROWS}`,
  `insert into install_revenue_sums (game_id, period, cohort, dimension, is_remainder, value, age, currency, revenue)
   select ${SOME_GAME}, 'week', current_date - n / greatest(3, $1::int / 10), 'country', false, 'FR', 0, 'EUR', 1 from ${ROWS}`,
  `insert into breakdown_runs (game_id, started_at, ended_at) select n, now(), now() - interval '1 day' from ${GAMES}`,
  `insert into holdout_comparisons (game_id, day, from_day, holdout_percent, sums, summed_at)
   select ${SOME_GAME}, current_date - 2 - n / greatest(3, $1::int / 10), current_date, 5, '{}', now() from ${ROWS}`,
  `insert into prediction_models (game_id, version, trained_at, author, trained_day, players, all_players, payers, all_payers,
     duration_ms, is_promoted, report, artefact)
   select ${SOME_GAME}, 100 * (n / greatest(3, $1::int / 10)), now(), '', current_date, 0, 0, 0, 0, 0, true, '{}', '{}'
   from ${ROWS}`,
  `insert into prediction_states (game_id, version, since, author, cause, model_version)
   select ${SOME_GAME}, 100 * (n / greatest(3, $1::int / 10)), now(), '', 'train', 100 * (n / greatest(3, $1::int / 10))
   from ${ROWS}`,
  `insert into prediction_work (game_id, trained_day) select n, current_date from ${GAMES}`,
  `insert into prediction_grades (game_id, day, model, model_version, was_told, metrics, health, graded_at)
   select ${SOME_GAME}, current_date - n / greatest(3, $1::int / 10), 'activity', 100 * (n / greatest(3, $1::int / 10)), true,
     '{}', 'green', now()
   from ${ROWS}`,
] as const;

/** So many rows in every large table, or a tenth in those with one row for each game. Rows that are there stay. */
export async function fillTables(client: pg.Client, rows: number): Promise<void> {
  for (const fill of FILLS) await client.query(`${fill} on conflict do nothing`, [rows]);
  await client.query("select setval(pg_get_serial_sequence('players', 'id'), $1::int)", [rows]);
}

/** Gives all that one game has to another number, without the foreign keys that would look for it. */
export async function moveGame(client: pg.Client, from: number, to: number): Promise<void> {
  const keys = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint where contype = 'f' and conparentid = 0`,
  );
  for (const { table, name } of keys.rows) await client.query(`alter table ${table} drop constraint ${name}`);
  const tables = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and a.attname = 'game_id'`,
  );
  for (const { name } of tables.rows) {
    await client.query(`update ${name} set game_id = $2 where game_id = $1`, [from, to]);
  }
}

/** Nobody makes new statistics, and so new plans, while a test is at it. */
export async function stopAutovacuum(client: pg.Client): Promise<void> {
  for (const table of await listTables(client, "('r')"))
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
}

/** The large tables; partitions under the name of the whole. */
export async function listLargeTables(client: pg.Client): Promise<string[]> {
  const tables = await listTables(client, "('r', 'p')");
  return tables.filter((name) => !SMALL_TABLES.includes(name) && wholeTable(name) === name);
}

const PARTITIONED = PLAYER_TABLES.filter(({ isPartitioned }) => isPartitioned).map(({ name }) => name);
const PARTITION = new RegExp(`^(${PARTITIONED.join('|')})_(?:\\d{8}|default)$`);

/** The table that a partition belongs to; any other table itself. */
export function wholeTable(name: string): string {
  return name.replace(PARTITION, '$1');
}

export async function countRows(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? 0;
}

async function listTables(client: pg.Client, kinds: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ${kinds} and relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
}
