import type { FastifyRequest } from 'fastify';
import type { EventSource } from '../../core/events/intake/event-record.js';
import type { IntakeResult } from '../../core/events/intake/intake.js';
import { REJECTIONS } from '../../core/events/intake/rejections.js';
import {
  beginEvents,
  clientBuildOf,
  countStored,
  decodeBatch,
  type TakenBatch,
  toResponse,
} from '../../core/events/intake/take-batch.js';
import { createPurchaseCheck } from '../../core/events/receipts/purchase-check.js';
import { NO_STORES } from '../../core/events/receipts/store-settings.js';
import type { PlayerRow } from '../../core/players/player-row.js';
import { isObject } from '../../platform/lib/is-object.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { findPlayersOfGame } from './served-player-queries.js';
import type { ServerContext } from './server-context.js';
import { serverKeyOf } from './server-guard.js';

/**
 * Decodes, checks and stores a batch of a server. Each event names its player; the events of a player are taken as if the player had
 * sent them, so that an event that player and server both send under one `eventId` counts once.
 */
export async function takeServerBatch(
  ctx: ServerContext,
  request: FastifyRequest,
  body: Buffer,
  countEvents: (count: number) => void,
): Promise<TakenBatch> {
  const { gameId, tenantSlug, gameSlug, registryVersion, scopes } = serverKeyOf(request);
  const decoded = decodeBatch(body);
  const { events } = decoded;
  countEvents(events.length);
  const claims = { tenantId: tenantSlug, gameId: gameSlug };
  const reader = { claims, player: { gameId, registryVersion } };
  const checkType = await ctx.registries.checkFor(reader);
  const stores = ctx.registries.storesOf(reader) ?? NO_STORES;
  const isServer = scopes.includes('purchases:write');
  const players = await playersOf(ctx, gameId, events);
  const source: EventSource = { installId: null, clientBuild: clientBuildOf(request) };

  const { parts, unknown } = partsOf(events, players);
  const checked = await Promise.all(
    [...parts.values()].map(async (part) => {
      const { userId } = part.player;
      const receipts = await ctx.receipts.check({ userId, gameId }, stores, part.events);
      return { part, checkPurchase: createPurchaseCheck({ userId, stores, receipts, isServer }) };
    }),
  );
  const begun = checked.map(({ part: { player, ...own }, checkPurchase }) =>
    beginEvents(
      ctx,
      decoded,
      { ...own, userId: player.userId, player, source, isServer },
      { checkType, checkPurchase },
    ),
  );
  const results = await Promise.all(begun.map(({ storing }) => storing));
  const stored = sumOf(results);
  countStored(ctx, stored);
  ctx.metrics.events.inc({ outcome: 'rejected' }, unknown.length);
  const places = [...parts.values()].map((part) => part.places);
  const rejected = [
    ...unknown,
    ...begun.flatMap((part, n) =>
      results[n]?.isErased ? (places[n] ?? []).map(unknownPlayer) : part.rejected.map(toResponse),
    ),
  ];
  const failuresKept = Promise.all(begun.map((part) => part.failuresKept));
  failuresKept.catch(() => {});
  return {
    stored,
    rejected: rejected.sort((a, b) => a.index - b.index),
    isAllRejected: rejected.length > 0 && rejected.length === events.length,
    failuresKept,
  };
}

async function playersOf(
  ctx: ServerContext,
  gameId: number,
  events: readonly unknown[],
): Promise<ReadonlyMap<string, PlayerRow>> {
  const userIds = new Set(events.flatMap((event) => userIdOf(event) ?? []));
  const rows = userIds.size === 0 ? [] : await findPlayersOfGame(ctx.pool, gameId, [...userIds]);
  return new Map(rows.map((row) => [row.userId, row]));
}

function userIdOf(event: unknown): string | undefined {
  if (!isObject(event) || typeof event.userId !== 'string') return undefined;
  return UUID_ANY_CASE.test(event.userId) ? event.userId.toLowerCase() : undefined;
}

type Part = { player: PlayerRow; events: unknown[]; places: number[] };

/** The events of each player, and those whose player is not known. */
function partsOf(
  events: readonly unknown[],
  players: ReadonlyMap<string, PlayerRow>,
): { parts: Map<string, Part>; unknown: TakenBatch['rejected'][number][] } {
  const parts = new Map<string, Part>();
  const unknown: TakenBatch['rejected'][number][] = [];
  for (const [index, event] of events.entries()) {
    const player = players.get(userIdOf(event) ?? '');
    if (player === undefined) {
      unknown.push(unknownPlayer(index));
      continue;
    }
    const part = parts.get(player.userId) ?? { player, events: [], places: [] };
    parts.set(player.userId, part);
    const { userId: _, ...own } = event as Record<string, unknown>;
    part.events.push(own);
    part.places.push(index);
  }
  return { parts, unknown };
}

function unknownPlayer(index: number): TakenBatch['rejected'][number] {
  return { index, code: 'player_unknown', message: REJECTIONS.player_unknown };
}

function sumOf(results: readonly IntakeResult[]): IntakeResult {
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  // With a queue the number of duplicates is not known yet.
  if (results.some(({ duplicates }) => duplicates === undefined)) return { accepted };
  return { accepted, duplicates: results.reduce((sum, { duplicates = 0 }) => sum + duplicates, 0) };
}
