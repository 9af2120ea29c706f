/** @module-tag full */
import { afterAll, expect, it } from 'vitest';
import { SEED } from '../server/test/support/property-runs.js';
import { type ClientVerification, runClientScenario } from './faults/client-scenario.js';
import { withDatabase } from './faults/verify.js';
import { cleanUp } from './support/service.js';

/** The short form; `npm run faults -- clients --help` is the long one. */

afterAll(cleanUp);

const CLIENTS = 40;
const EVENTS_EACH = 60;
/** A run takes 10 to 90 s, depending on what else the machine does. */
const TIMEOUT_MS = 900_000;

it(
  'clients on a bad network lose nothing, count nothing twice and stay logged in while the service is killed',
  async () => {
    const spoiled: ClientVerification[] = [];
    const report = await runClientScenario({
      seed: SEED,
      clients: CLIENTS,
      eventsEach: EVENTS_EACH,
      pauseMs: 60,
      batchSeconds: 0.2,
      kills: 1,
      settings: {
        // Sessions are refreshed every few seconds, also while the service is down.
        SAVEPOINT_ACCESS_TTL_SECONDS: '4',
        // A refresh whose response was lost is tried again at once. How slow the machine is must not decide the test.
        SAVEPOINT_REFRESH_GRACE_SECONDS: '600',
        SAVEPOINT_MAX_WAIT_MS: '60000',
      },
      say: () => {},
      async inspect(stack, checkAgain) {
        await withDatabase(stack, (client) =>
          client.query(
            `delete from event_blocks where (player_id, id) in (select player_id, min(id) from event_blocks group by 1 limit 1)`,
          ),
        );
        spoiled.push(await checkAgain());
      },
    });
    expect(report, `seed ${SEED}`).toMatchObject({
      tracked: CLIENTS * EVENTS_EACH,
      stored: CLIENTS * EVENTS_EACH,
      lost: 0,
      doubled: 0,
      outOfOrder: 0,
      missingNumbers: 0,
      loggedOut: [],
      kills: 1,
    });
    expect(Object.keys(report.faults).length).toBeGreaterThan(2);
    // Tests the check itself: it must find what is damaged after the run.
    expect(spoiled[0]?.lost).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
