import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { DEMO } from '../../src/app/demo-studio.js';
import { DEFAULT_DOCUMENT } from '../../src/decide/document/default-document.js';
import type { ConfigDocument } from '../../src/decide/document/document.js';
import type { SkuEntry } from '../../src/decide/document/parts/catalogue.js';
import type { OfferEntry } from '../../src/decide/document/parts/offers.js';
import type { PredictionSettings } from '../../src/decide/document/parts/predictions.js';
import { publishConfig } from '../../src/liveops/configs/publish.js';
import { findGame } from '../../src/platform/admin-api/tenants.js';
import type { Pool } from '../../src/platform/db/pool.js';
import type { Settings } from '../../src/platform/settings/settings.js';
import { type Session, testSettings } from './harness.js';

/** The calls of the data endpoints, and what every response of theirs must look like. */

/** For tests that send more than a player may. */
export function withoutRateLimits(): Pick<Settings, 'rateLimits'> {
  return { rateLimits: { ...testSettings().rateLimits, enabled: false } };
}

type Headers = Record<string, string | string[]>;

/** Header names in lower case; one given as `undefined` is left out. */
export function get(
  app: FastifyInstance,
  url: string,
  session: Session,
  headers: Record<string, string | string[] | undefined> = {},
): Promise<LightMyRequestResponse> {
  const all = Object.entries({ ...session.headers, ...headers }).filter(([, value]) => value !== undefined);
  return app.inject({ method: 'GET', url, headers: Object.fromEntries(all) as Headers as never });
}

/** Sends bytes as they are, where `postEvents` would serialise. */
export function postBytes(
  app: FastifyInstance,
  session: Session,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url: '/v1/events',
    headers: { ...session.headers, 'content-type': 'application/json', ...headers },
    payload: body,
  });
}

/** The general form: every error outside of /auth/ that is not a 401. */
export function expectGeneralError(response: LightMyRequestResponse, status: number, code: string): void {
  expect(response.statusCode, response.body).toBe(status);
  const { error, ...rest } = response.json();
  expect(rest).toEqual({ status: 'error' });
  expect(error).toEqual(expect.objectContaining({ code, message: expect.stringMatching(/^.+[.?]$/) }));
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-request-id']).toMatch(/./);
  if (status === 503 || status === 429) expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

export type Counts = { accepted: number; duplicates: number };

export function expectCounts(response: LightMyRequestResponse, counts: Counts): void {
  expect(response.statusCode, response.body).toBe(202);
  expect(response.json()).toEqual({ data: { ...counts, rejected: [] }, status: 'success' });
}

/** Everything that events keep in a player's row, as text where JavaScript would round. */
export async function playerAggregates(pool: Pool, userId: string): Promise<Record<string, unknown>> {
  const { rows } = await pool.query(
    `select first_event_at, last_event_at, event_count, event_counts, active_days::text, purchase_count,
       first_purchase_at, last_purchase_at, purchase_days::text, spend::text, repeat_spend::text
     from players where user_id = $1`,
    [userId],
  );
  return rows[0];
}

export type StoredEvent = {
  eventType: string;
  payload: unknown;
  metadata: unknown;
  eventId: string | null;
  occurredAt: string;
  timestampText: string | null;
  clockSuspect: boolean;
};

/** In the order of their timestamps. */
export async function storedEvents(pool: Pool, userId: string): Promise<StoredEvent[]> {
  const { rows } = await pool.query<StoredEvent>(
    `select e.event_type as "eventType", e.payload, e.metadata, e.event_id as "eventId",
       e.occurred_at::text as "occurredAt", e.timestamp_text as "timestampText", e.clock_suspect as "clockSuspect"
     from events e join players p on p.id = e.player_id
     where p.user_id = $1
     order by e.occurred_at, e.event_id, e.payload::text`,
    [userId],
  );
  return rows;
}

/** A SKU with one currency and one language, as most tests need it. */
export type PlainSku = {
  skuId: string;
  name: string;
  description: string;
  actualPrice: string;
  offerPrice: string;
  currency: string;
  assets: SkuEntry['assets'];
  active: boolean;
};

export function sku(skuId: string, overrides: Partial<PlainSku> = {}): PlainSku {
  return {
    skuId,
    name: `Name of ${skuId}`,
    description: `Description of ${skuId}`,
    actualPrice: '9.99',
    offerPrice: '4.99',
    currency: 'USD',
    assets: [],
    active: true,
    ...overrides,
  };
}

function skuEntry({ name, description, actualPrice, offerPrice, currency, ...same }: PlainSku): SkuEntry {
  return {
    ...same,
    name: { default: name, locales: {} },
    description: { default: description, locales: {} },
    prices: { [currency]: { actualPrice, offerPrice } },
    defaultCurrency: currency,
    from: null,
    until: null,
  };
}

type DocumentOptions = {
  sendFallback?: boolean;
  payerForDays?: number | null;
  segments?: ConfigDocument['segments'];
  offers?: OfferEntry[];
  predictions?: PredictionSettings;
};

export function gameDocument(skus: PlainSku[], options: DocumentOptions = {}): ConfigDocument {
  const { sendFallback = false, payerForDays = null } = options;
  return {
    flags: { isPayer: { payerForDays }, custom: [] },
    segments: options.segments ?? DEFAULT_DOCUMENT.segments,
    catalogue: skus.map(skuEntry),
    store: { ...DEFAULT_DOCUMENT.store, sendFallback },
    offers: options.offers ?? [],
    ...(options.predictions === undefined ? {} : { predictions: options.predictions }),
  };
}

/** An offer to everybody, for ever, without any effect but its promotion. */
export function offer(offerId: string, overrides: Partial<OfferEntry> = {}): OfferEntry {
  return {
    offerId,
    name: `Name of ${offerId}`,
    when: null,
    from: null,
    until: null,
    sharePercent: 100,
    skus: 'all',
    effect: { promoId: `promo-${offerId}` },
    limitPerPlayer: null,
    combine: false,
    ...overrides,
  };
}

/** Publishes for the demo game and returns the number of the version in force then. */
export async function publish(pool: Pool, document: ConfigDocument, nowMs: number): Promise<number> {
  const game = await findGame(pool, DEMO.tenant, DEMO.game);
  if (game === undefined) throw new Error('the demo game is missing');
  const publication = { gameId: game.id, document, note: '', confirmPriceRaises: true };
  const outcome = await publishConfig(pool, publication, { name: 'test', nowMs });
  if (outcome.outcome === 'published' || outcome.outcome === 'unchanged') return outcome.version;
  throw new Error(`not published: ${JSON.stringify(outcome)}`);
}
