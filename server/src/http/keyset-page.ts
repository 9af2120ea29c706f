import { Type } from 'typebox';
import { ApiError } from '../errors.js';
import { nullable } from './admin-responses.js';

/** Lists that are read page by page, in the order of an id: the last id of a page is where the next one begins. */

const MAX_ITEMS = 100;

export const PageParameters = Type.Object({
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS, default: MAX_ITEMS })),
});

export const NextCursor = nullable(
  Type.String({ description: 'To be sent as `cursor` for the next page; null on the last one' }),
);

export type Page = Readonly<{ after: string | null; limit: number }>;

/** As the validator reads `PageParameters`. */
export type PageQuery = { cursor?: string; limit?: number };

/** The page that is asked for; `isId` tells what can be the id of an item. */
export function pageOf({ cursor, limit = MAX_ITEMS }: PageQuery, isId: RegExp): Page {
  if (cursor !== undefined && !isId.test(cursor)) {
    throw new ApiError('parameter_invalid', {
      message: 'cursor must be the nextCursor of the page before, given once.',
    });
  }
  return { after: cursor ?? null, limit };
}

/** Of one row more than the page has, which tells whether there is a next one. */
export function cutPage<T>(
  rows: readonly T[],
  { limit }: Page,
  idOf: (row: T) => string,
): { rows: readonly T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null };
}
