import { hash } from 'node:crypto';
import { type Pool, query } from '../../platform/db/pool.js';

/** A part of the stream that belongs to no known player. It is kept for the operator, under game 0 and player 0. */
export type Unattributed = {
  code: 'message_invalid' | 'player_unknown';
  message: string;
  eventType: string | null;
  raw: string;
  receivedAtMs: number;
};

export async function insertUnattributed(pool: Pool, failures: readonly Unattributed[]): Promise<void> {
  await query(
    pool,
    {
      name: 'insert_unattributed',
      text: `insert into failed_events (game_id, player_id, fingerprint, code, message, event_type, raw, received_at)
             select 0, 0, * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
             order by 3
             on conflict do nothing`,
    },
    [
      failures.map(({ message, raw }) => hash('sha256', `${message}:${raw}`, 'hex').slice(0, 32)),
      failures.map(({ code }) => code),
      failures.map(({ message }) => message),
      failures.map(({ eventType }) => eventType),
      failures.map(({ raw }) => raw),
      failures.map(({ receivedAtMs }) => new Date(receivedAtMs)),
    ],
  );
}
