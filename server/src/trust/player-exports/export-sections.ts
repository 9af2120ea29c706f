import type { PlayerTableName } from '../../platform/db/player-tables.js';
import type { Statement } from '../../platform/db/pool.js';

/** The rows of a table as an array of the document. */
export type ExportSection = Readonly<{
  /** The name of the array in the document. */
  member: string;
  /**
   * The rows behind a key, each as the text of a JSON object: $1 is the player, $2 the key as `text[]`, $3 the most rows. Columns
   * that are secrets, internal ids or names of people of the studio are left out.
   */
  rows: Statement;
  /** Comes before the key of every row. */
  firstKey: readonly string[];
}>;

/** `apart`: the table is exported by other code. `why`: the table is not exported. */
type TableExport = ExportSection | Readonly<{ apart: string }> | Readonly<{ why: string }>;

const EARLIEST = '-infinity';
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** What becomes of every table of a player. The compiler wants a line for each of PLAYER_TABLES. */
export const TABLE_EXPORTS: Readonly<Record<PlayerTableName, TableExport>> = {
  players: { apart: 'player' },
  event_blocks: { apart: 'events' },
  event_identities: {
    why: 'hashes of the events that are exported, by which an event that is sent twice counts once; they say nothing more',
  },
  erasures: {
    why: 'a request for erasure ends the sessions of the player, and is not there while the player can take an export',
  },
  player_exports: { why: 'when the player last took an export, for the limit of one an hour' },
  player_keys: {
    why: 'a random name of the player in the files for analysts, whose events are exported here; it says nothing more',
  },
  erasure_codes: { why: 'a secret: whoever has the code can ask for the erasure of the player' },
  transaction_changes: {
    why: 'how a transaction came to its refundedAt and movedAt, which are exported with the transaction',
  },
  player_days: {
    member: 'days',
    firstKey: [EARLIEST],
    rows: {
      name: 'export_player_days',
      text: `select array[day::text] as key, json_build_object('day', day, 'events', events, 'sessions', sessions,
               'adImpressions', ad_impressions, 'storeViews', store_views, 'playMs', play_ms, 'eventCounts', event_counts,
               'purchases', purchases, 'revenue', revenue, 'country', country, 'platform', platform, 'build', build)::text as json
             from player_days where player_id = $1 and day > ($2::text[])[1]::date
             order by day limit $3`,
    },
  },
  transactions: {
    member: 'transactions',
    firstKey: [''],
    rows: {
      name: 'export_transactions',
      text: `select array[transaction_id] as key, json_build_object('transactionId', transaction_id, 'skuId', sku_id, 'price', price,
               'currency', currency, 'promoId', promo_id, 'purchasedAt', api_time(purchased_at),
               'refundedAt', api_time(refunded_at), 'movedAt', api_time(moved_at), 'verifiedBy', store, 'receivedAt', api_time(received_at))::text as json
             from transactions where player_id = $1 and transaction_id > ($2::text[])[1]
             order by transaction_id limit $3`,
    },
  },
  player_promotions: {
    member: 'promotions',
    firstKey: [''],
    rows: {
      name: 'export_promotions',
      text: `select array[promo_id] as key, json_build_object('promoId', promo_id, 'purchases', purchases)::text as json
             from player_promotions where player_id = $1 and promo_id > ($2::text[])[1]
             order by promo_id limit $3`,
    },
  },
  flag_overrides: {
    member: 'overrides',
    firstKey: ['0'],
    rows: {
      name: 'export_overrides',
      text: `select array[id::text] as key, json_build_object('flagId', flag_id, 'value', value, 'reason', reason,
               'setAt', api_time(set_at), 'until', api_time(until), 'clearedAt', api_time(cleared_at))::text as json
             from flag_overrides where player_id = $1 and id > ($2::text[])[1]::bigint
             order by id limit $3`,
    },
  },
  player_pins: {
    member: 'pins',
    firstKey: ['0'],
    rows: {
      name: 'export_pins',
      text: `select array[id::text] as key, json_build_object('kind', kind, 'target', target, 'value', value, 'reason', reason,
               'setAt', api_time(set_at), 'until', api_time(until), 'clearedAt', api_time(cleared_at))::text as json
             from player_pins where player_id = $1 and id > ($2::text[])[1]::bigint
             order by id limit $3`,
    },
  },
  segment_stays: {
    member: 'segmentStays',
    firstKey: [EARLIEST, '', ''],
    rows: {
      name: 'export_segment_stays',
      text: `select array[entered_at::text, segment_id, thresholds] as key,
               json_build_object('segmentId', segment_id, 'enteredAt', api_time(entered_at), 'enteredValue', entered_value,
               'leftAt', api_time(left_at), 'leftValue', left_value)::text as json
             from segment_stays
             where player_id = $1 and (entered_at, segment_id, thresholds) > (($2::text[])[1]::timestamptz, ($2::text[])[2], ($2::text[])[3])
             order by entered_at, segment_id, thresholds limit $3`,
    },
  },
  experiment_exposures: {
    member: 'experiments',
    firstKey: ['', ''],
    rows: {
      name: 'export_experiment_exposures',
      text: `select array[experiment_id, seed] as key,
               json_build_object('experimentId', experiment_id, 'seed', seed, 'variantId', variant_id,
               'exposedAt', api_time(exposed_at), 'activatedAt', api_time(activated_at), 'forecast', case when forecast is not null then
               json_build_object('churn', forecast[1], 'spend', forecast[2], 'revenue', forecast[3]) end,
               'segments', segments)::text as json
             from experiment_exposures
             where player_id = $1 and (experiment_id, seed) > (($2::text[])[1], ($2::text[])[2])
             order by experiment_id, seed limit $3`,
    },
  },
  devices: {
    member: 'devices',
    firstKey: [''],
    rows: {
      name: 'export_devices',
      text: `select array[device_id] as key, json_build_object('deviceId', replace(device_id, chr(1), 'forgotten:'),
               'createdAt', api_time(created_at), 'attachedAt', api_time(attached_at))::text as json
             from devices where player_id = $1 and device_id collate "C" > ($2::text[])[1]
             order by device_id collate "C" limit $3`,
    },
  },
  sessions: {
    member: 'sessions',
    firstKey: [EARLIEST, NO_UUID],
    rows: {
      name: 'export_sessions',
      text: `select array[created_at::text, id::text] as key, json_build_object('sessionId', id, 'deviceId', device_id,
               'createdAt', api_time(created_at), 'expiresAt', api_time(expires_at))::text as json
             from sessions
             where player_id = $1 and (created_at, id) > (($2::text[])[1]::timestamptz, ($2::text[])[2]::uuid)
             order by created_at, id limit $3`,
    },
  },
  event_installs: {
    member: 'installations',
    firstKey: [''],
    rows: {
      name: 'export_installs',
      text: `select array[install_id] as key, json_build_object('installId', install_id, 'receivedNumbers',
               (select coalesce(json_agg(json_build_object('first', lower(r), 'last', upper(r) - 1) order by lower(r)), '[]')
                from unnest(seen) r))::text as json
             from event_installs where player_id = $1 and install_id > ($2::text[])[1]
             order by install_id limit $3`,
    },
  },
  event_gaps: {
    member: 'missingEvents',
    firstKey: ['', '0'],
    rows: {
      name: 'export_gaps',
      text: `select array[install_id, first_seq::text] as key, json_build_object('installId', install_id, 'first', first_seq,
               'last', last_seq, 'noticedAt', api_time(noticed_at), 'clientBuild', client_build, 'platform', platform)::text as json
             from event_gaps
             where player_id = $1 and (install_id, first_seq) > (($2::text[])[1], ($2::text[])[2]::bigint)
             order by install_id, first_seq limit $3`,
    },
  },
  player_notes: {
    member: 'notes',
    firstKey: ['0'],
    rows: {
      name: 'export_notes',
      text: `select array[id::text] as key, json_build_object('text', text, 'createdAt', api_time(created_at),
               'editedAt', api_time(edited_at))::text as json
             from player_notes where player_id = $1 and id > ($2::text[])[1]::bigint
             order by id limit $3`,
    },
  },
  failed_events: {
    member: 'refusedEvents',
    firstKey: [EARLIEST, '0'],
    rows: {
      name: 'export_refused_events',
      text: `select array[received_at::text, id::text] as key, json_build_object('code', code, 'message', message, 'path', path,
               'eventType', event_type, 'sent', raw, 'isCut', is_cut, 'clientBuild', client_build,
               'receivedAt', api_time(received_at), 'replayedAt', api_time(replayed_at))::text as json
             from failed_events
             where player_id = $1 and (received_at, id) > (($2::text[])[1]::timestamptz, ($2::text[])[2]::bigint)
             order by received_at, id limit $3`,
    },
  },
};

/** In the order of the document. */
export const EXPORT_SECTIONS: readonly ExportSection[] = Object.values(TABLE_EXPORTS).filter(
  (table) => 'rows' in table,
);
