import { type Static, Type } from 'typebox';
import { cursorId, cutRows, pageParameters } from './page-cursor.js';

/** Lists in the order of an id, which is the cursor itself: the last id of a page is where the next one begins. */

const MAX_ITEMS = 100;

export const PageParameters = Type.Object(pageParameters({ max: MAX_ITEMS, fallback: MAX_ITEMS }));

export type Page = Readonly<{ after: string | null; limit: number }>;

type PageQuery = Static<typeof PageParameters>;

/** The requested page; `isId` matches the ids of items. */
export function pageOf({ cursor, limit = MAX_ITEMS }: PageQuery, isId: RegExp): Page {
  return { after: cursor === undefined ? null : cursorId(cursor, isId), limit };
}

/** The page of rows that were read with one more than its limit. */
export function cutIdPage<Row>(
  found: readonly Row[],
  { limit }: Page,
  idOf: (row: Row) => string,
): { rows: readonly Row[]; nextCursor: string | null } {
  const { page, last } = cutRows(found, limit);
  return { rows: page, nextCursor: last === undefined ? null : idOf(last) };
}
