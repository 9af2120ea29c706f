/** @module-tag full */
import { afterAll, describe, expect, it } from 'vitest';
import { NATS_SERVER, NEEDS_NATS } from '../server/test/support/nats-server.js';
import { SEED } from '../server/test/support/property-runs.js';
import { runScenario, type ScenarioOptions } from './faults/scenario.js';
import type { Stack } from './faults/stack.js';
import { withDatabase } from './faults/verify.js';
import { cleanUp } from './support/service.js';

/** The fault tests in their short form; `npm run faults -- --help` is the long one. */

afterAll(cleanUp);

/** A run takes 15 to 60 s, or many minutes beside other tests, five of them until NATS is a cluster: what hangs is noticed by `runScenario`. */
const TIMEOUT_MS = 1_800_000;

function shortRun(
  options: Pick<ScenarioOptions, 'mode' | 'events' | 'faults' | 'inspect'>,
): ScenarioOptions & { seed: number } {
  return {
    ...options,
    seed: SEED,
    players: 40,
    connections: 16,
    databaseTimeoutMs: 1_000,
    timeLimitMs: TIMEOUT_MS,
    say: () => {},
  };
}

describe('faults', () => {
  it(
    'lose nothing and count nothing twice: workers, service and PostgreSQL killed, the database paused, connections cut',
    async () => {
      const spoiled: { lost: number; doubled: number; problems: string[] }[] = [];
      const run = shortRun({
        mode: 'direct',
        events: 3_000,
        faults: [
          'kill -9 of an API worker',
          'all connections cut',
          'PostgreSQL paused',
          'kill -9 of PostgreSQL',
          'kill -9 of the whole service',
        ],
        async inspect(stack, checkAgain) {
          await loseOneAndDoubleOne(stack);
          spoiled.push(await checkAgain());
        },
      });
      const report = await runScenario(run);

      expect(report, `seed ${run.seed}`).toMatchObject({
        acknowledged: 3_000,
        stored: 3_000,
        lost: 0,
        doubled: 0,
        problems: [],
        kills: 3,
      });
      // Tests the check itself: it must find what is damaged after the run.
      expect(spoiled[0]).toMatchObject({ lost: 1, doubled: 1 });
      const told = spoiled[0]?.problems.join('\n') ?? '';
      for (const place of [
        'was acknowledged and is not stored',
        'players ',
        'player_days ',
        'rollups check',
      ]) {
        expect(told).toContain(place);
      }
    },
    TIMEOUT_MS,
  );

  it.skipIf(NATS_SERVER === undefined)(
    `lose nothing and count nothing twice on JetStream: a consumer and one of three NATS servers killed${NEEDS_NATS}`,
    async () => {
      const run = shortRun({
        mode: 'jetstream-cluster',
        events: 2_000,
        faults: [
          'kill -9 of a NATS server',
          'PostgreSQL paused',
          'kill -9 of a consumer',
          'all connections cut',
        ],
      });
      const report = await runScenario(run);
      expect(report, `seed ${run.seed}`).toMatchObject({
        acknowledged: 2_000,
        stored: 2_000,
        lost: 0,
        doubled: 0,
        problems: [],
        kills: 2,
      });
    },
    TIMEOUT_MS,
  );
});

/** Deletes an event and keeps its count, and counts another event a second time. */
async function loseOneAndDoubleOne(stack: Stack): Promise<void> {
  await withDatabase(stack, async (client) => {
    await client.query(
      `update event_blocks
       set events = (select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements(events) e where e -> 2 ->> 'n' <> '7')
       where events @> '[[{"n": 7}]]'`,
    );
    await client.query(
      `update players p set event_count = p.event_count + 1
       from events e where e.player_id = p.id and (e.payload ->> 'n')::int = 1234`,
    );
  });
}
