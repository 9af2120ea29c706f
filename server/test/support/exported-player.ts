import type { AdminClient } from './admin-calls.js';
import { GAME } from './admin-calls.js';
import { adImpression, type Harness, postEvents, type Session } from './harness.js';

/** A player with a row in every table that is exported. */
export async function addExportedPlayer(
  harness: Harness,
  admin: AdminClient,
  deviceId: string,
  installId = 'install-1',
): Promise<Session> {
  const { app, pool, clock } = harness;
  const session = await harness.login(deviceId);
  const now = clock.now();
  const timestamp = new Date(now).toISOString();
  const purchase = {
    eventType: 'Purchase',
    timestamp,
    payload: {
      userId: 'u',
      sessionId: 's',
      skuId: 'gems',
      price: 4.99,
      currency: 'USD',
      transactionId: `t-${deviceId}`,
      promoId: 'winter',
    },
    metadata: {},
  };
  const headers = { ...session.headers, 'x-install-id': installId, 'x-client-build': '1.0' };
  const numbered = [1, 2, 5].map((seq) => adImpression(seq, now, { seq }));
  await postEvents(app, { ...session, headers }, [...numbered, { ...purchase, seq: 6 }]);
  await postEvents(app, session, [adImpression(9, now, { eventId: 'e-9' }), { eventType: 'Broken' }]);
  const path = `${GAME}/players/${session.userId}`;
  await admin.ask('PUT', `${path}/overrides/isPayer`, { value: true, reason: 'Paid by bank transfer' });
  await pool.query(
    `insert into player_pins (player_id, kind, target, value, reason, author, set_at)
     select id, 'value', 'jump_height', '{"height": 5}', 'Test device', 'editor of demo-studio', $2 from players where user_id = $1`,
    [session.userId, new Date(now)],
  );
  await admin.ask('POST', `${path}/notes`, { text: 'Wrote to support.' });
  await pool.query(
    `insert into segment_stays (game_id, player_id, segment_id, thresholds, entered_at, entered_value)
     select game_id, id, 'leaving', '', $2, 0.9 from players where user_id = $1`,
    [session.userId, new Date(now)],
  );
  await pool.query(
    `insert into experiment_exposures (game_id, player_id, experiment_id, seed, variant_id, exposed_at, segments)
     select game_id, id, 'price_test', '1', 'b', $2, '{payers,late}' from players where user_id = $1`,
    [session.userId, new Date(now)],
  );
  return session;
}

/** Blocks of 500 events with payloads of two kilobytes, a millisecond apart. */
export async function addLargeBlocks(harness: Harness, userId: string, blocks: number): Promise<void> {
  await harness.pool.query(
    `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
     select id, $2::timestamptz + n * interval '1 millisecond', game_id, 500, $2, $2,
       (select jsonb_agg(jsonb_build_array('Level_Up', $3::text, jsonb_build_object('n', n, 'i', i, 'text', repeat('x', 2000)), '{}'::jsonb))
        from generate_series(1, 500) i)
     from players cross join generate_series(1, $4::int) n where user_id = $1`,
    [userId, new Date(harness.clock.now()), new Date(harness.clock.now()).toISOString(), blocks],
  );
}
