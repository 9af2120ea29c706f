import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import type { AdminGame } from '../../admin/game-queries.js';
import { cursorInvalid, cursorOf, cutPage, pageParameters, writeCursor } from '../../admin/page-cursor.js';
import { ApiError } from '../../errors.js';
import { textParameter } from '../../http/parameters.js';
import { withSchemaTypes } from '../../http/validation.js';
import { MAX_ROW_ID, ROW_ID } from '../../lib/row-id.js';
import { createConfigSnapshots } from '../game-configs/config-snapshots.js';
import { reportSpend } from '../reporting/report-spend.js';
import { BEFORE_ALL, type FoundBy, findPlayers, keyOf } from './find-players.js';
import { listNewestPlayers, type PlayerListRow } from './player-list-queries.js';
import { PlayersResponse } from './player-list-schemas.js';
import { listSegmentMembers, MAX_EXAMINED } from './segment-members.js';
import { requireSegment } from './segments.js';

const LIMITS = { max: 100, fallback: 20 };
/** Device ids and transaction ids may be this long. */
const MAX_FIND = 256;
const MAX_SEGMENT_ID = 64;

type Page = { cursor: string | undefined; limit: number };

/** Lists of players: by an id, of a segment, or the newest. */
export function playerListRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const documents = createConfigSnapshots(ctx.pool, ctx.logger);

  withSchemaTypes(app).get(
    '/admin/v1/games/:game/players',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Players'),
        operationId: 'listPlayers',
        summary: 'Find players by an id, list the players of a segment, or list the newest players',
        params: GameParameters,
        querystring: Type.Object({
          find: Type.Optional(
            Type.String({
              maxLength: MAX_FIND,
              description:
                'A user id, device id or transaction id, also that of a refused purchase; or a part of a user id: its first 8 digits or more, or its last 4 or more',
            }),
          ),
          segment: Type.Optional(
            Type.String({
              description: `Id of a published segment: lists the players who are in it now. A page examines ${MAX_EXAMINED.toLocaleString('en')} players at most, so it may be empty and still have a \`nextCursor\`.`,
            }),
          ),
          ...pageParameters(LIMITS),
        }),
        response: { 200: PlayersResponse, ...gameErrors(['parameter_invalid', 'segment_not_found']) },
      },
    },
    async (request) => {
      const game = await gameOf(ctx, request);
      const { find, segment, cursor, limit = LIMITS.fallback } = request.query;
      if (find !== undefined && segment !== undefined) {
        throw new ApiError('parameter_invalid', { message: 'Send either find or segment, not both.' });
      }
      if (find !== undefined) {
        return found(ctx, game, textParameter('find', find, MAX_FIND), { cursor, limit });
      }
      if (segment === undefined) return newest(ctx, game, { cursor, limit });
      const text = textParameter('segment', segment, MAX_SEGMENT_ID);
      const document = await documents.get(game.gameId, game.publishedVersion);
      requireSegment(document, text);
      const list = `segment ${text}`;
      const search = { document, segmentId: text, beforeId: idOf(list, cursor), limit };
      const nowMs = ctx.clock.now();
      const members = await listSegmentMembers(ctx.pool, { gameId: game.gameId, ...search, nowMs });
      const { nextBeforeId, examined } = members;
      return success({
        players: await playerItems(ctx, game, members.players),
        nextCursor: nextBeforeId === null ? null : writeCursor(list, [nextBeforeId]),
        examined,
      });
    },
  );
}

async function newest(ctx: AdminContext, game: AdminGame, { cursor, limit }: Page) {
  const list = 'newest players';
  const players = await listNewestPlayers(ctx.pool, game.gameId, idOf(list, cursor), limit + 1);
  const { page, last } = cutPage(players, limit);
  return success({
    players: await playerItems(ctx, game, page),
    nextCursor: last === undefined ? null : writeCursor(list, [last.id]),
    examined: null,
  });
}

async function found(ctx: AdminContext, game: AdminGame, text: string, { cursor, limit }: Page) {
  const list = `players ${text}`;
  const key = cursorOf(list, cursor, [0, '']);
  const after = key === undefined ? BEFORE_ALL : { rank: key[0], id: checkedId(key[1]) };
  const players = await findPlayers(ctx.pool, game.gameId, text, { after, limit: limit + 1 });
  const { page, last } = cutPage(players, limit);
  const next = last && keyOf(last);
  return success({
    players: await playerItems(ctx, game, page),
    nextCursor: next === undefined ? null : writeCursor(list, [next.rank, next.id]),
    examined: null,
  });
}

function idOf(list: string, cursor: string | undefined): string {
  const id = cursorOf(list, cursor, [''])?.[0];
  return id === undefined ? MAX_ROW_ID : checkedId(id);
}

function checkedId(id: string): string {
  if (ROW_ID.test(id)) return id;
  throw cursorInvalid();
}

type Listed = PlayerListRow & { foundBy?: FoundBy };

async function playerItems({ pool }: AdminContext, { gameId }: AdminGame, players: readonly Listed[]) {
  const reportedSpend = await reportSpend(pool, gameId, players);
  return players.map(({ id, createdAt, lastEventAt, foundBy = null, ...player }) => {
    const { playerId, country, platform, purchaseCount, spend } = player;
    return {
      playerId,
      createdAt: toTime(createdAt),
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
