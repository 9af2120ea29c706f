import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { successOf, Time, toTime } from '../../../platform/admin-api/admin-responses.js';
import {
  cursorOf,
  NextCursor,
  pageParameters,
  writeCursor,
} from '../../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../../platform/errors.js';
import { BODY_ERRORS } from '../../../platform/http/api-schemas.js';
import { textParameter } from '../../../platform/http/parameters.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { MAX_PICTURE_BYTES, readPicture } from './picture-format.js';
import { deletePicture, listPictures, MAX_PICTURES, setPicture } from './picture-queries.js';

/** A page is 2 MB of base64 at most. */
const PAGE = { max: 50, fallback: 50 };
const MAX_SKU_ID = 128;
/** What one byte more than the limit is as base64, and some: the size has a sentence of its own. */
const MAX_BASE64 = 4 * MAX_PICTURE_BYTES;

const skuParameter = {
  skuId: Type.String({ description: 'The SKU; the catalogue need not have it yet', examples: ['gems_80'] }),
};
/** One transparent pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const PicturesResponse = successOf(
  'SkuPicturesResponse',
  Type.Object({
    pictures: Type.Array(
      Type.Object(
        {
          skuId: Type.String(),
          mediaType: Type.String({ description: 'image/png, image/jpeg or image/webp' }),
          content: Type.String({ description: 'Base64' }),
          updatedAt: Time('When it was set'),
        },
        { title: 'SkuPicture' },
      ),
      { description: 'In the order of the SKU ids' },
    ),
    nextCursor: NextCursor,
  }),
  {
    example: {
      pictures: [
        {
          skuId: 'gems_80',
          mediaType: 'image/png',
          content: PIXEL,
          updatedAt: '2026-11-15T12:00:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
);

const PictureBody = Type.Object(
  {
    content: Type.String({
      maxLength: MAX_BASE64,
      description: `PNG, JPEG or WebP as base64, ${MAX_PICTURE_BYTES} bytes at most`,
    }),
  },
  { title: 'SkuPictureRequest', examples: [{ content: PIXEL }] },
);

const SetResponse = successOf(
  'SkuPictureSetResponse',
  Type.Object({ skuId: Type.String(), mediaType: Type.String(), bytes: Type.Integer() }),
  { example: { skuId: 'gems_80', mediaType: 'image/png', bytes: 70 } },
);

const DeletedResponse = successOf(
  'SkuPictureDeletedResponse',
  Type.Object({ skuId: Type.String(), wasThere: Type.Boolean() }),
  { example: { skuId: 'gems_80', wasThere: true } },
);

/** Thumbnails of SKUs, for those who edit the catalogue. The SKU is in the query: its id may hold any character. */
export function pictureRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');
  const path = '/admin/v1/games/:game/catalogue/pictures';

  routes.get(path, {
    role: 'viewer',
    operationId: 'listPictures',
    summary: 'The thumbnails of the SKUs',
    description: 'For people who edit the catalogue. Players get the assets of the catalogue, not these.',
    querystring: Type.Object(pageParameters(PAGE)),
    response: { 200: PicturesResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = PAGE.fallback } = query;
      const [after] = cursorOf('sku pictures', cursor, ['']) ?? [''];
      const found = await listPictures(ctx.pool, gameId, { after, limit: limit + 1 });
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      return {
        pictures: rows.map(({ content, updatedAt, ...row }) => ({
          ...row,
          content: content.toString('base64'),
          updatedAt: toTime(updatedAt),
        })),
        nextCursor:
          found.length > limit && last !== undefined ? writeCursor('sku pictures', [last.skuId]) : null,
      };
    },
  });

  routes.put(path, {
    role: 'editor',
    operationId: 'setPicture',
    summary: 'Give a SKU a thumbnail',
    querystring: Type.Object(skuParameter),
    body: PictureBody,
    response: { 200: SetResponse },
    errors: [...BODY_ERRORS],
    handle: async ({ gameId, query, body, actorNow }) => {
      const skuId = textParameter('skuId', query.skuId, MAX_SKU_ID);
      const read = readPicture(body.content);
      if (!read.ok) throw new ApiError('body_invalid', { message: read.message });
      const { mediaType, content } = read.picture;
      if (!(await setPicture(ctx.pool, { gameId, skuId }, read.picture, actorNow()))) {
        throw new ApiError('body_invalid', {
          message: `A game can have ${MAX_PICTURES} pictures. Delete those of SKUs that are gone first.`,
        });
      }
      return { skuId, mediaType, bytes: content.length };
    },
  });

  routes.delete(path, {
    role: 'editor',
    operationId: 'deletePicture',
    summary: 'Take the thumbnail of a SKU away',
    querystring: Type.Object(skuParameter),
    response: { 200: DeletedResponse },
    handle: async ({ gameId, query, actorNow }) => {
      const skuId = textParameter('skuId', query.skuId, MAX_SKU_ID);
      const wasThere = await deletePicture(ctx.pool, { gameId, skuId }, actorNow());
      return { skuId, wasThere };
    },
  });
}
