import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { type Explanation, explain } from '../../../src/liveops/explanations/explain.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { clearOverride, setOverride } from '../../../src/liveops/players/overrides.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import type { KeySemaphore } from '../../../src/platform/lib/fair-semaphore.js';
import { COUNTRIES, CURRENCIES, EVENT_TYPES, LOCALES } from '../../decide/rules/rule-arbitrary.js';
import { FLAGS, PROMOTIONS, pairedDocuments } from '../../decide/support/document-arbitrary.js';
import { NOW } from '../../decide/support/fixtures.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Action =
  | { kind: 'events'; events: { ageMs: number; event: Record<string, unknown> }[] }
  | { kind: 'publish'; document: ConfigDocument }
  | { kind: 'set'; flagId: string; value: boolean; forMs: number | null }
  | { kind: 'clear'; flagId: string }
  | { kind: 'nothing' };
type Step = { waitMs: number; action: Action };

/** The responses of the service at an instant. */
type Served = { atMs: number; status: string; segments: unknown; store: string; etag: unknown };

describe('an explanation', () => {
  let harness: Harness;
  let gameId: number;
  let rebuilds: Pool;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    rebuilds = createRebuildPool(harness.databaseUrl);
    const { rows } = await harness.pool.query<{ id: number }>('select id from games');
    gameId = rows[0]?.id ?? 0;
  });
  afterAll(async () => {
    await rebuilds.end();
    await harness.close();
  });

  const explained = async (userId: string, atMs: number): Promise<Explanation> => {
    const { pool, clock } = harness;
    const semaphore: KeySemaphore = { take: (work) => work() };
    const outcome = await explain({ pool, clock, rebuilds, semaphore }, { gameId, player: { userId }, atMs });
    if (outcome.outcome !== 'explained') throw new Error(outcome.outcome);
    return outcome.explanation;
  };

  const served = async (device: string): Promise<Served & { userId: string }> => {
    const session = await harness.login(device);
    const [status, segments, store] = await Promise.all(
      ['status', 'segments', 'store_configs'].map((name) => get(harness.app, `/v1/player/${name}`, session)),
    );
    return {
      userId: session.userId,
      atMs: harness.clock.now(),
      status: status?.body ?? '',
      segments: segments?.json().segments,
      store: store?.body ?? '',
      etag: store?.headers.etag,
    };
  };

  const act = async (action: Action, userId: string, device: string, delta: number): Promise<void> => {
    const nowMs = harness.clock.now();
    const actor = { name: 'test', nowMs };
    switch (action.kind) {
      case 'events': {
        const events = action.events.map(({ ageMs, event }) => ({
          ...event,
          timestamp: new Date(nowMs - ageMs).toISOString(),
        }));
        const response = await postEvents(harness.app, await harness.login(device), events);
        expect(response.statusCode, response.body).toBe(202);
        return;
      }
      case 'publish': {
        const document = shifted(action.document, delta);
        const publication = { gameId, document, note: '', confirmPriceRaises: true };
        // Some documents violate a guardrail and are refused: then the version in force stays.
        await publishConfig(harness.pool, publication, actor);
        return;
      }
      case 'set': {
        const { flagId, value, forMs } = action;
        const until = forMs === null ? null : nowMs + forMs;
        await setOverride(harness.pool, { gameId, userId, flagId, value, reason: 'test', until }, actor);
        return;
      }
      case 'clear':
        await clearOverride(harness.pool, { gameId, userId, flagId: action.flagId }, actor);
        return;
      case 'nothing':
    }
  };

  it('equals what was served, at any time, whatever happened since', async () => {
    let plays = 0;
    await fc.assert(
      fc.asyncProperty(
        pairedDocuments,
        fc.array(steps(), { minLength: 2, maxLength: 7 }),
        async (first, plan) => {
          const device = `device-${++plays}`;
          const delta = harness.clock.now() - NOW;
          const { userId } = await harness.login(device);
          const seen: Served[] = [];
          for (const { waitMs, action } of [
            { waitMs: 1, action: { kind: 'publish', document: first.document } as const },
            ...plan,
          ]) {
            harness.clock.advance(waitMs);
            await act(action, userId, device, delta);
            seen.push(await served(device));
          }
          const now = await explained(userId, harness.clock.now());
          expect(now.source).toBe('current row');
          harness.clock.advance(1);
          for (const { atMs, status, segments, store, etag } of seen) {
            const { source, decision } = await explained(userId, atMs);
            expect(source).toBe('stored events');
            expect(JSON.stringify(decision.flags)).toBe(status);
            expect(visible(decision.segments)).toEqual(segments);
            expect(decision.storeText).toBe(store);
            expect(decision.storeEtag).toBe(etag);
          }
          expect(now.decision.storeText).toBe(seen.at(-1)?.store);
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
  });
});

function visible(segments: Explanation['decision']['segments']) {
  return segments
    .filter(({ visibleToClients }) => visibleToClients)
    .map(({ visibleToClients: _, ...listed }) => listed);
}

/** Documents are generated for a fixed instant: their schedules are moved to the clock of the test. */
function shifted(document: ConfigDocument, delta: number): ConfigDocument {
  const moved = <T extends { from: string | null; until: string | null }>(entry: T): T => ({
    ...entry,
    from: entry.from && new Date(Date.parse(entry.from) + delta).toISOString(),
    until: entry.until && new Date(Date.parse(entry.until) + delta).toISOString(),
  });
  return { ...document, catalogue: document.catalogue.map(moved), offers: document.offers.map(moved) };
}

function steps(): fc.Arbitrary<Step> {
  const flagId = fc.constantFrom('isPayer', ...FLAGS);
  const action = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('events' as const),
        events: fc.array(fc.record({ ageMs: ages, event: events() }), { minLength: 1, maxLength: 4 }),
      }),
    },
    pairedDocuments.map(({ document }) => ({ kind: 'publish' as const, document })),
    fc.record({
      kind: fc.constant('set' as const),
      flagId,
      value: fc.boolean(),
      forMs: fc.option(fc.constantFrom(HOUR_MS, 3 * DAY_MS)),
    }),
    fc.record({ kind: fc.constant('clear' as const), flagId }),
    fc.constant({ kind: 'nothing' as const }),
  );
  return fc.record({ waitMs: fc.constantFrom(1, 1000, HOUR_MS, 2 * DAY_MS), action });
}

const ages = fc.constantFrom(0, 1, HOUR_MS, DAY_MS, 6 * DAY_MS, 100 * DAY_MS, -HOUR_MS / 2, -2 * HOUR_MS);
const transactionId = fc.constantFrom('t1', 't2');

function events(): fc.Arbitrary<Record<string, unknown>> {
  const metadata = fc.record(
    {
      country: fc.constantFrom(...COUNTRIES.filter(Boolean)),
      locale: fc.constantFrom(...LOCALES.filter(Boolean)),
      currency: fc.constantFrom(...CURRENCIES),
    },
    { requiredKeys: [] },
  );
  return fc.oneof(
    fc.record({ eventType: fc.constantFrom(...EVENT_TYPES), payload: fc.constant({}), metadata }),
    fc.record({
      eventType: fc.constant('Purchase'),
      payload: fc.record(
        {
          price: fc.constantFrom('4.99', 12),
          currency: fc.constantFrom(...CURRENCIES),
          promoId: fc.constantFrom(...PROMOTIONS),
          transactionId,
        },
        { requiredKeys: ['price', 'currency'] },
      ),
    }),
    fc.record({ eventType: fc.constant('Refund'), payload: fc.record({ transactionId }) }),
  );
}
