import { type Static, type TArray, type TSchema, Type } from 'typebox';
import { ApiError } from '../errors.js';
import { nullable, successOf } from './admin-responses.js';

/** What paged lists of the admin API have in common: `cursor` and `limit` in the query, `nextCursor` in the response. */

/** A number or text for each column that the list is sorted by. */
export type CursorKey = readonly (string | number)[];

/** No key of ours is longer; device ids have 256 characters. */
const MAX_CURSOR = 2_048;
const BASE64_URL = /^[A-Za-z0-9_-]+$/;

/** What is read of a cursor for a key like `Key`. */
export type KeyLike<Key extends CursorKey> = {
  readonly [Place in keyof Key]: Key[Place] extends number ? number : string;
};

/** The place behind `key`, as a text that clients hand back unread. `list` names the list and its filters. */
export function writeCursor(list: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

/**
 * The key of a cursor that `writeCursor` made for the same list, member for member of the types of `example`. Undefined for
 * anything else: a cursor comes from outside.
 */
export function readCursor<const Key extends CursorKey>(
  list: string,
  text: unknown,
  example: Key,
): KeyLike<Key> | undefined {
  if (typeof text !== 'string' || text.length > MAX_CURSOR || !BASE64_URL.test(text)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed[0] !== list || parsed.length !== example.length + 1) return undefined;
  const key: unknown[] = parsed.slice(1);
  const isOfTypes = key.every((member, place) =>
    typeof example[place] === 'number' ? Number.isSafeInteger(member) : isStorable(member),
  );
  return isOfTypes ? (key as unknown as KeyLike<Key>) : undefined;
}

/** PostgreSQL has no NUL in a text. */
function isStorable(member: unknown): member is string {
  return typeof member === 'string' && !member.includes('\0');
}

/** The same for the query of a request: undefined where there is none, an error where it is not one of ours. */
export function cursorOf<const Key extends CursorKey>(
  list: string,
  text: unknown,
  example: Key,
): KeyLike<Key> | undefined {
  if (text === undefined) return undefined;
  const key = readCursor(list, text, example);
  if (key !== undefined) return key;
  throw cursorInvalid();
}

/** Year 9999, which both JavaScript and PostgreSQL can write. */
const LATEST_MS = Date.UTC(9999, 0);

/** The instant in a cursor, which may be forged: PostgreSQL would fail on one that is no date. */
export function cursorTime(ms: number): number {
  if (ms >= 0 && ms <= LATEST_MS) return ms;
  throw cursorInvalid();
}

/** The id in a cursor, which may be forged as well. */
export function cursorId(id: string, form: RegExp): string {
  if (form.test(id)) return id;
  throw cursorInvalid();
}

/** A page of a list in the order of a time and an id, the newest first. `after`: the last row of the page before. */
export type TimePage = Readonly<{ after: Readonly<{ at: number; id: string }> | undefined; limit: number }>;

/** Sorts before every row of a list whose ids are UUIDs. */
export const NEWEST = { at: LATEST_MS, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export function timeCursorOf(list: string, text: unknown, idForm: RegExp): TimePage['after'] {
  const key = cursorOf(list, text, [0, '']);
  return key === undefined ? undefined : { at: cursorTime(key[0]), id: cursorId(key[1], idForm) };
}

/** For a cursor that is not one of the list, also where its types are right and its values are not. */
export function cursorInvalid(): ApiError {
  return new ApiError('parameter_invalid', {
    message: 'cursor must be the `nextCursor` of a response to the same query, given once.',
  });
}

/** The page of rows that were read with one more than `limit`, and its last row if there is a next page. */
export function cutRows<Row>(
  rows: readonly Row[],
  limit: number,
): { page: readonly Row[]; last: Row | undefined } {
  const page = rows.slice(0, limit);
  return { page, last: rows.length > limit ? page.at(-1) : undefined };
}

/** The same with the cursor of the next page; null if there is none. */
export function cutPage<Row>(
  list: string,
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => CursorKey,
): { page: readonly Row[]; nextCursor: string | null } {
  const { page, last } = cutRows(rows, limit);
  return { page, nextCursor: last === undefined ? null : writeCursor(list, keyOf(last)) };
}

export type PageLimits = Readonly<{ max: number; fallback: number }>;

export function pageLimit({ max, fallback }: PageLimits) {
  const description = 'Entries of a page, at most';
  return Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: fallback, description }));
}

/** For the query of a paged list. */
export function pageParameters({ max, fallback }: PageLimits) {
  return {
    cursor: Type.Optional(
      Type.String({ description: '`nextCursor` of the page before; the first page without it' }),
    ),
    limit: pageLimit({ max, fallback }),
  };
}

export const NextCursor = nullable(
  Type.String({
    description: 'To be sent as `cursor` for the next page, also when this page is empty; null at the end',
  }),
);

/** The response of a list: its items under `name`, and the cursor of the next page. */
export function listResponse<Name extends string, Item extends TSchema>(
  title: string,
  name: Name,
  item: Item,
  { example, description }: { example: Static<Item>; description?: string },
) {
  const items = Type.Array(item, description === undefined ? {} : { description });
  const members = { [name]: items, nextCursor: NextCursor } as Record<Name, TArray<Item>> & {
    nextCursor: typeof NextCursor;
  };
  const data = Type.Object(members);
  return successOf(title, data, { example: { [name]: [example], nextCursor: null } as Static<typeof data> });
}
