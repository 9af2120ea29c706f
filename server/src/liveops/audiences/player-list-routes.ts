import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type ConfigSnapshots, createConfigSnapshots } from '../../core/configs/config-snapshots.js';
import { documentWork } from '../../core/configs/document-work.js';
import { findCurrentModels } from '../../core/predictions/models-at.js';
import type { DeviceHashes } from '../../core/sessions/forgotten-devices.js';
import { firstSeenAt } from '../../decide/attributes/time-basis.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import {
  cursorId,
  cursorOf,
  cutPage,
  pageParameters,
  writeCursor,
} from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { textParameter } from '../../platform/http/parameters.js';
import { ROW_ID } from '../../platform/lib/row-id.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { AdminGame } from '../../studio/admin-api/game-queries.js';
import { reportSpend } from '../../studio/money/report-spend.js';
import { BEFORE_ALL, type FoundBy, findPlayers, keyOf } from './find-players.js';
import { isFiltered, listPlayers } from './list-players.js';
import {
  filterOf,
  keyOfCursor,
  listNameOf,
  MAX_FIND,
  orderOf,
  PLAYER_LIST_PARAMETERS,
} from './player-list-parameters.js';
import type { PlayerListRow } from './player-list-queries.js';
import { PlayersResponse } from './player-list-schemas.js';
import { type MemberFilter, memberFilter } from './segment-members.js';
import { requireSegment } from './segments.js';

const LIMITS = { max: 100, fallback: 20 };
const MAX_SEGMENT_ID = 64;

/** `forgottenId` is what stands in the place of a device id that was forgotten. */
type ListContext = AdminContext & Pick<DeviceHashes, 'forgottenId'>;
type Game = Pick<AdminGame, 'gameId' | 'publishedVersion'>;
type Page = { cursor: string | undefined; limit: number };
type ListQuery = Static<typeof PLAYER_LIST_PARAMETERS>;

/** Lists of players: by an id, or in an order and by a filter. */
export function playerListRoutes(app: FastifyInstance, ctx: ListContext): void {
  const routes = routesOfGame(app, ctx, 'Players');
  // Only its segments are asked for, and no prices.
  const documents = createConfigSnapshots(ctx.pool, ctx.logger, documentWork, async () => null);

  routes.get('/admin/v1/games/:game/players', {
    role: 'viewer',
    operationId: 'listPlayers',
    summary: 'Find players by an id, or list them by their newness, last event or spend, all or by a filter',
    querystring: Type.Object({ ...PLAYER_LIST_PARAMETERS.properties, ...pageParameters(LIMITS) }),
    response: { 200: PlayersResponse },
    errors: ['segment_not_found'],
    handle: async ({ gameId, publishedVersion, query }) => {
      const { cursor, limit = LIMITS.fallback, find, ...order } = query;
      if (find === undefined) {
        const game = { gameId, publishedVersion };
        return ctx.reads.run((db) => listed({ ...ctx, pool: db }, documents, game, order, { cursor, limit }));
      }
      if (Object.keys(order).length > 0) {
        throw new ApiError('parameter_invalid', {
          message: 'Send either find or a sort and filters, not both.',
        });
      }
      const text = textParameter('find', find, MAX_FIND);
      return ctx.reads.run((db) => found({ ...ctx, pool: db }, gameId, text, { cursor, limit }));
    },
  });
}

async function listed(
  ctx: AdminContext,
  documents: ConfigSnapshots,
  { gameId, publishedVersion }: Game,
  query: Omit<ListQuery, 'find'>,
  { cursor, limit }: Page,
) {
  const { pool } = ctx;
  const nowMs = ctx.clock.now();
  const filter = filterOf(query);
  const isMember = await membershipOf(ctx, documents, { gameId, publishedVersion }, query.segment, nowMs);
  const { read, example, currencies } = await orderOf(pool, gameId, query, nowMs);
  const list = listNameOf(query);
  const after = keyOfCursor(list, cursor, example);
  const page = await listPlayers(pool, { gameId, read, after, filter, isMember, limit });
  const items = await playerItems(
    ctx,
    gameId,
    page.players.map(({ row }) => row),
  );
  return {
    players: items.map((item, index) => ({
      ...item,
      lastReceivedAt: query.sort === 'lastSeen' ? toTime(Number(page.players[index]?.key[0])) : null,
    })),
    nextCursor: page.next === null ? null : writeCursor(list, [...page.next]),
    examined: isFiltered({ filter, isMember }) ? page.examined : null,
    currencies,
  };
}

async function membershipOf(
  { pool }: AdminContext,
  documents: ConfigSnapshots,
  { gameId, publishedVersion }: Game,
  segment: string | undefined,
  nowMs: number,
): Promise<MemberFilter | undefined> {
  if (segment === undefined) return undefined;
  const segmentId = textParameter('segment', segment, MAX_SEGMENT_ID);
  const document = await documents.get(gameId, publishedVersion);
  requireSegment(document, segmentId);
  const { models } = await findCurrentModels(pool, gameId);
  return memberFilter({ gameId, document, segmentId, models, nowMs });
}

async function found(ctx: ListContext, gameId: number, text: string, { cursor, limit }: Page) {
  const list = `players ${text}`;
  const key = cursorOf(list, cursor, [0, '']);
  const after = key === undefined ? BEFORE_ALL : { rank: key[0], id: cursorId(key[1], ROW_ID) };
  const players = await findPlayers(ctx.pool, gameId, text, {
    after,
    limit: limit + 1,
    forgottenId: ctx.forgottenId(gameId, text),
  });
  const { page, nextCursor } = cutPage(list, players, limit, (player) => {
    const { rank, id } = keyOf(player);
    return [rank, id];
  });
  return {
    players: (await playerItems(ctx, gameId, page)).map((item) => ({ ...item, lastReceivedAt: null })),
    nextCursor,
    examined: null,
    currencies: null,
  };
}

type Listed = PlayerListRow & { foundBy?: FoundBy };

async function playerItems({ pool }: AdminContext, gameId: number, players: readonly Listed[]) {
  const reportedSpend = await reportSpend(pool, gameId, players);
  return players.map(({ id, createdAt, firstDay, lastEventAt, foundBy = null, ...player }) => {
    const { playerId, country, platform, purchaseCount, spend } = player;
    return {
      playerId,
      createdAt: toTime(createdAt),
      firstSeenAt: toTime(firstSeenAt({ createdAt, history: { firstDay } })),
      lastEventAt: toTime(lastEventAt),
      country,
      platform,
      purchaseCount,
      spend,
      reportedSpend: reportedSpend(id),
      foundBy,
    };
  });
}
