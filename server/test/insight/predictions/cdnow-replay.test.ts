/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { predictionFacts } from '../../../src/decide/attributes/player-history.js';
import type { Artefact } from '../../../src/decide/predict/artefact.js';
import type { PurchaseCell } from '../../../src/decide/predict/beta-geometric-nbd.js';
import { fitBgNbd } from '../../../src/decide/predict/bg-nbd.js';
import { fitMbgNbd } from '../../../src/decide/predict/mbg-nbd.js';
import type { ModelReport } from '../../../src/decide/predict/model-report.js';
import { payerStatistics } from '../../../src/decide/predict/player-statistics.js';
import { train } from '../../../src/decide/predict/train.js';
import type { PayerCell, TrainingData } from '../../../src/decide/predict/training-data.js';
import { trainGame } from '../../../src/insight/predictions/train-game.js';
import { readTrainingData } from '../../../src/insight/predictions/training-data-reader.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { type CdnowPurchase, readCdnow, readCdnowPurchases } from '../../decide/predict/published-data.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { NEEDS_PUBLISHED_DATA, PUBLISHED_DATA } from '../../support/published-data-folder.js';

/**
 * CDNOW's customers as players who buy through POST /v1/events. Whatever is sent twice, refunded or claimed again on the way, what
 * predictions are made from is what the file says.
 */

const END = '1997-09-30';
const FIRST_DAY = Date.parse('1997-01-01') / DAY_MS;
const DAYS = Date.parse(END) / DAY_MS - FIRST_DAY;
/** Older events count at the time of their receipt. */
const PORTION_DAYS = 80;
const AT_ONCE = 250;

describe.skipIf(PUBLISHED_DATA === undefined)(`CDNOW through the API${NEEDS_PUBLISHED_DATA}`, () => {
  let harness: Harness;
  let gameId: number;
  /** From a day of the file to the day on which it is replayed. */
  let shift: number;
  let purchases: readonly CdnowPurchase[];
  let read: TrainingData;
  /** What the service has of the payers at the end of the last day. */
  let replayed: readonly PayerCell[];
  const lastDay = () => FIRST_DAY + DAYS + shift;

  beforeAll(async () => {
    const year = { accessTtlSeconds: 366 * 86_400, refreshTtlSeconds: 366 * 86_400 };
    harness = await createHarness({ settings: { ...withoutRateLimits(), ...year } });
    gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
    shift = Math.floor(harness.clock.now() / DAY_MS) - FIRST_DAY;
    purchases = readCdnowPurchases(END);
    await replay();
    harness.clock.set((lastDay() + 1) * DAY_MS + DAY_MS / 4);
    const day = lastDay();
    ({ data: read } = await withDedicatedConnection(harness.pool, (connection) =>
      readTrainingData(connection, { gameId, day }),
    ));
    replayed = await withDedicatedConnection(harness.pool, async (connection) => {
      const { data } = await readTrainingData(connection, { gameId, day: day + 7 });
      const newest = data.origins.at(-1);
      expect(newest?.day).toBe(day);
      return newest?.payers ?? [];
    });
  });
  afterAll(() => harness?.close());

  /** In portions of some weeks, each player's in one request. */
  async function replay(): Promise<void> {
    const ids = [...new Set(purchases.map(({ id }) => id))];
    harness.clock.set((FIRST_DAY + shift) * DAY_MS + DAY_MS / 4);
    const sessions = new Map<string, Session>();
    await inPortions(ids, async (id) => {
      sessions.set(id, await harness.login(`customer-${id}`));
    });
    for (let from = 0; from <= DAYS; from += PORTION_DAYS) {
      harness.clock.set((FIRST_DAY + Math.min(from + PORTION_DAYS, DAYS + 1) + shift) * DAY_MS);
      const first = new Map<string, object[]>();
      const second = new Map<string, object[]>();
      for (const [n, purchase] of purchases.entries()) {
        const since = purchase.day - FIRST_DAY - from;
        if (since < 0 || since >= PORTION_DAYS) continue;
        add(first, purchase.id, eventsOf(purchase, n));
        // The same transaction once more, for another price: the one received first counts.
        if (n % 11 === 0) add(second, purchase.id, [bought(purchase, `t${n}`, '77.77')]);
      }
      for (const batches of [first, second]) {
        await inPortions([...batches], async ([id, events]) => send(sessions.get(id) as Session, id, events));
        harness.clock.advance(1_000);
      }
    }
  }

  function add(batches: Map<string, object[]>, id: string, events: object[]): void {
    batches.set(id, [...(batches.get(id) ?? []), ...events]);
  }

  const at = ({ day }: CdnowPurchase) => new Date((day + shift) * DAY_MS + DAY_MS / 2).toISOString();
  const bought = (purchase: CdnowPurchase, transactionId: string, price: string) => ({
    eventType: 'Purchase',
    timestamp: at(purchase),
    payload: { transactionId, skuId: 'cd', price, currency: 'USD' },
  });

  /** A purchase; of some also one that is refunded. */
  function eventsOf(purchase: CdnowPurchase, n: number): object[] {
    const events: object[] = [bought(purchase, `t${n}`, purchase.price)];
    if (n % 7 === 0) {
      const extra = bought(purchase, `r${n}`, '99.99');
      const refund = { eventType: 'Refund', timestamp: at(purchase), payload: { transactionId: `r${n}` } };
      // A refund may come before its purchase.
      events.push(...(n % 2 === 0 ? [extra, refund] : [refund, extra]));
    }
    return events;
  }

  /** Every third customer has a bad connection: the batch is sent again. */
  async function send(session: Session, id: string, events: object[]): Promise<void> {
    const first = await postEvents(harness.app, session, events);
    expect(first.json()).toMatchObject({ data: { accepted: events.length, duplicates: 0, rejected: [] } });
    if (Number(id) % 3 !== 0) return;
    const again = await postEvents(harness.app, session, events);
    expect(again.json()).toMatchObject({ data: { accepted: 0, duplicates: events.length } });
  }

  it('gives the sufficient statistics of the file, as cells and of each player', async () => {
    const newest = lastDay();
    const direct = payerCells(purchases, shift, newest);
    expect(texts(replayed)).toEqual(texts(direct));
    expect(direct.reduce((sum, { players }) => sum + players, 0)).toBe(2_357);

    const { rows } = await harness.pool.query<{ id: string }>('select id from players where game_id = $1', [
      gameId,
    ]);
    const readings = await findFacts(
      harness.pool,
      rows.map(({ id }) => id),
      (newest + 1) * DAY_MS,
    );
    const statistics = readings.map(({ facts }) =>
      payerStatistics(predictionFacts(facts), newest + 1, 'USD'),
    );
    const cells = new Map<string, number>();
    for (const each of statistics) {
      const key = JSON.stringify([each?.x, each?.tx, each?.t, each?.meanValue]);
      cells.set(key, (cells.get(key) ?? 0) + 1);
    }
    expect([...cells].sort()).toEqual(
      direct.map((cell) => [keyOf(cell), cell.players] as [string, number]).sort(),
    );
  });

  it('gives them as of every week that training looks at, with what happened afterwards', () => {
    expect(read.origins.length).toBeGreaterThan(10);
    for (const { day, payers } of read.origins) {
      expect(texts(payers), String(day)).toEqual(texts(payerCells(purchases, shift, day)));
    }
  });

  it('gives the published parameters', async () => {
    const cells = payersInWeeks(replayed);
    const fromFile = readCdnow(END);
    const fit = fitBgNbd(cells);
    if (!fit.fitted) throw new Error('it can be fitted');
    const { r, alpha, a, b } = fit.parameters;
    const published = [0.2425945, 4.4136019, 0.7929199, 2.4258881];
    for (const [at, value] of [r, alpha, a, b].entries()) {
      expect(Math.abs(value / (published[at] as number) - 1)).toBeLessThan(1e-3);
    }
    expect(fit.logLikelihood).toBeCloseTo(-9582.429, 1);
    const [one, other] = [fitMbgNbd(cells), fitMbgNbd(fromFile)];
    if (!one.fitted || !other.fitted) throw new Error('they can be fitted');
    for (const name of ['r', 'alpha', 'a', 'b'] as const) {
      expect(one.parameters[name]).toBeCloseTo(other.parameters[name], 4);
    }
  });

  it('gives the model that training with the file gives', async () => {
    const trained = await trainGame(harness.pool, { gameId, actor: testActor(harness.clock.now()) });
    if (trained.outcome !== 'trained') throw new Error(trained.outcome);
    const origins = read.origins.map((origin) => ({
      ...origin,
      payers: payerCells(purchases, shift, origin.day),
    }));
    const direct = train({ ...read, origins }, 1, null);
    expect(trained.report.models[1]?.outcome).toBe(direct.report[1]?.outcome);
    expect(trained.report.models[1]?.reason).toBe(direct.report[1]?.reason);
    const one = purchasesModelOf(trained.artefact, trained.report.models);
    const other = purchasesModelOf(direct.artefact, direct.report);
    for (const name of ['r', 'alpha', 'a', 'b'] as const) {
      expect(one.mbgNbd[name]).toBeCloseTo(other.mbgNbd[name], 4);
    }
    expect(one.value?.kind).toBe(other.value?.kind);
    expect(one.players).toBe(other.players);
  });
});

/** The model of payers that a training has fitted, whether it was promoted or refused. */
function purchasesModelOf({ models: { purchases } }: Artefact, report: readonly ModelReport[]) {
  const model = purchases.state === 'ready' ? purchases : report[1]?.refusedModel;
  if (model === undefined || !('mbgNbd' in model)) throw new Error(report[1]?.reason);
  return model;
}

async function inPortions<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await Promise.all(all.slice(from, from + AT_ONCE).map(work));
  }
}

/** From the file alone: payers as of the end of a day, grouped, with what they bought afterwards. */
function payerCells(purchases: readonly CdnowPurchase[], shift: number, origin: number): PayerCell[] {
  const byId = new Map<string, { day: number; cents: number }[]>();
  for (const { id, day, price } of purchases) {
    const entry = { day: day + shift, cents: Math.round(Number(price) * 100) };
    byId.set(id, [...(byId.get(id) ?? []), entry]);
  }
  const cells = new Map<string, PayerCell>();
  for (const bought of byId.values()) {
    const known = bought.filter(({ day }) => day <= origin);
    if (known.length === 0) continue;
    const first = Math.min(...known.map(({ day }) => day));
    const days = new Set(known.map(({ day }) => day));
    const x = days.size - 1;
    const repeat = known.reduce((sum, { day, cents }) => (day > first ? sum + cents : sum), 0);
    const history = {
      x,
      tx: Math.max(...days) - first,
      t: origin - first,
      meanValue: x === 0 ? null : repeat / 100 / x,
    };
    const after = (horizon: number) => bought.filter(({ day }) => day > origin && day <= origin + horizon);
    const cents = (horizon: number) => after(horizon).reduce((sum, entry) => sum + entry.cents, 0);
    const before = cells.get(keyOf(history));
    cells.set(keyOf(history), {
      ...history,
      players: (before?.players ?? 0) + 1,
      spent7: (before?.spent7 ?? 0) + (after(7).length > 0 ? 1 : 0),
      purchaseDays28: (before?.purchaseDays28 ?? 0) + new Set(after(28).map(({ day }) => day)).size,
      purchases28: (before?.purchases28 ?? 0) + after(28).length,
      revenue7: round((before?.revenue7 ?? 0) + cents(7) / 100),
      revenue28: round((before?.revenue28 ?? 0) + cents(28) / 100),
      revenue90: round((before?.revenue90 ?? 0) + cents(90) / 100),
    });
  }
  return [...cells.values()];
}

/** Sums of cents, which doubles do not add up exactly. */
function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function keyOf({ x, tx, t, meanValue }: Pick<PayerCell, 'x' | 'tx' | 't' | 'meanValue'>): string {
  return JSON.stringify([x, tx, t, meanValue]);
}

/** As texts, in one order: comparing thousands of objects takes seconds. */
function texts(cells: readonly PayerCell[]): string {
  return cells
    .map((cell) => JSON.stringify(Object.entries(cell).sort()))
    .sort()
    .join('\n');
}

function payersInWeeks(cells: readonly PayerCell[]): PurchaseCell[] {
  return cells.map(({ x, tx, t, players }) => ({ x, tx: tx / 7, t: t / 7, players }));
}
