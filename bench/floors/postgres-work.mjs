import { randomUUID } from 'node:crypto';
import { copyIn } from './copy-in.mjs';

/** The same columns and the same unique index as `events`, without partitions, deduplication by content or fold. */
export const TABLES = `
  create table if not exists bench_rows (id uuid primary key, body text not null);
  create table if not exists bench_events (
    occurred_at timestamptz not null, player_id bigint not null, received_at timestamptz not null, identity uuid not null,
    game_id integer not null, clock_suspect boolean not null, event_type text not null, payload jsonb not null,
    metadata jsonb not null, event_id text, timestamp_text text, primary key (occurred_at, player_id, identity)
  );
  truncate bench_rows, bench_events`;

const INSERT_EVENTS = `insert into bench_events
  select o, p, r, i, g, c, t, d, m from json_to_recordset($1::json)
  as e(p bigint, g integer, i uuid, t text, o timestamptz, r timestamptz, c boolean, d jsonb, m jsonb)`;

const COPY_EVENTS = `copy bench_events (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type,
  payload, metadata) from stdin`;

/** Rows of one copy. */
const COPIED = 1000;
const METADATA = '{"deviceType":"phone","osName":"Android","osVersion":"16"}';
const payload = (n) =>
  `{"adId":"ad-${n}","campaignId":"campaign-1","sessionId":"session-1","userId":"user-1"}`;
const somePlayer = () => Math.floor(Math.random() * 1e6);

// Texts are concatenated: CPU that the generator takes would lower the floor.
function eventsJson(count) {
  const now = new Date().toISOString();
  const player = somePlayer();
  let json = '';
  for (let n = 0; n < count; n++) {
    json += `${n === 0 ? '[' : ','}{"p":${player},"g":1,"i":"${randomUUID()}","t":"Ad_Impression","o":"${now}","r":"${now}","c":false,"d":${payload(n)},"m":${METADATA}}`;
  }
  return `${json}]`;
}

function eventLines(count) {
  const now = new Date().toISOString();
  const player = somePlayer();
  let lines = '';
  for (let n = 0; n < count; n++) {
    lines += `${now}\t${player}\t${now}\t${randomUUID()}\t1\tf\tAd_Impression\t${payload(n)}\t${METADATA}\n`;
  }
  return lines;
}

/** What one client repeats, each time as one transaction that writes `rows` rows. */
export const WORK = {
  commits: {
    rows: 1,
    run: (client) =>
      client.query({
        name: 'one',
        text: 'insert into bench_rows values ($1, $2)',
        values: [randomUUID(), 'x'.repeat(120)],
      }),
  },
  insert: {
    rows: 50,
    run: (client) => client.query({ name: 'fifty', text: INSERT_EVENTS, values: [eventsJson(50)] }),
  },
  copy: { rows: COPIED, run: (client) => copyIn(client, COPY_EVENTS, eventLines(COPIED)) },
};
