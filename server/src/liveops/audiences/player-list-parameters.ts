import { type Static, Type } from 'typebox';
import { cursorInvalid, cursorOf, cursorTime } from '../../platform/admin-api/page-cursor.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { textParameter } from '../../platform/http/parameters.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { ROW_ID } from '../../platform/lib/row-id.js';
import { instantParameter } from '../../studio/jobs/export-span.js';
import { MAX_EXAMINED, type PlayerFilter } from './list-players.js';
import { listPaidCurrencies } from './player-list-queries.js';
import {
  type ChunkReader,
  LAST_SEEN_DAYS,
  type ListKey,
  readByLastSeen,
  readBySpend,
  readNewest,
} from './player-sorts.js';

/** Device ids and transaction ids may be this long. */
export const MAX_FIND = 256;
const MAX_COUNTRY = 64;
const MAX_CURRENCY = 16;
/** The currencies of this many days are offered. */
const CURRENCY_DAYS = 366;
const AMOUNT = /^\d{1,12}(?:\.\d{1,6})?$/;

export const PLAYER_LIST_PARAMETERS = Type.Object({
  find: Type.Optional(
    Type.String({
      maxLength: MAX_FIND,
      description:
        'A user id, device id or transaction id, also that of a refused purchase; or a part of a user id: its first 8 digits or more, or its last 4 or more',
    }),
  ),
  sort: Type.Optional(
    Type.Union([Type.Literal('newest'), Type.Literal('lastSeen'), Type.Literal('spend')], {
      description: `\`newest\` if left out. \`lastSeen\`: whose events arrived last, of the last ${LAST_SEEN_DAYS} days. \`spend\`: payers, by what they paid in \`currency\`; a player who paid in several is listed under the one with the largest amount.`,
    }),
  ),
  currency: Type.Optional(
    Type.String({
      description: 'Of `sort=spend` and `minSpend`. `sort=spend` without it takes the first of `currencies`.',
      examples: ['USD'],
    }),
  ),
  minSpend: Type.Optional(
    Type.String({ description: 'Only players who paid at least so much in `currency`', examples: ['9.99'] }),
  ),
  segment: Type.Optional(
    Type.String({
      description: `Id of a published segment: only players who are in it now. With any filter, a page examines ${MAX_EXAMINED.toLocaleString('en')} players at most, so it may be empty and still have a \`nextCursor\`.`,
    }),
  ),
  country: Type.Optional(
    Type.String({ description: 'Only players whose last known country is this', examples: ['DE'] }),
  ),
  seenSince: Type.Optional(
    Type.String({
      description: 'Only players with an event of this time or later: an RFC 3339 time or a date',
      examples: ['2026-11-01'],
    }),
  ),
  seenBefore: Type.Optional(
    Type.String({ description: 'Only players whose last event was before', examples: ['2026-11-15'] }),
  ),
});

type ListQuery = Omit<Static<typeof PLAYER_LIST_PARAMETERS>, 'find'>;

export function filterOf({ country, currency, minSpend, seenSince, seenBefore }: ListQuery): PlayerFilter {
  return {
    country: country === undefined ? undefined : textParameter('country', country, MAX_COUNTRY),
    seenSinceMs: instantParameter('seenSince', seenSince),
    seenBeforeMs: instantParameter('seenBefore', seenBefore),
    minSpend:
      minSpend === undefined ? undefined : { amount: amountOf(minSpend), currency: currencyOf(currency) },
  };
}

function amountOf(text: string): number {
  if (AMOUNT.test(text)) return Number(text);
  throw new ApiError('parameter_invalid', { message: 'minSpend must be a decimal such as 9.99.' });
}

function currencyOf(text: string | undefined): string {
  if (text !== undefined) return textParameter('currency', text, MAX_CURRENCY);
  throw new ApiError('parameter_invalid', { message: 'minSpend needs a currency such as USD.' });
}

export type ListOrder = Readonly<{
  read: ChunkReader;
  /** What the members of a position are like. */
  example: ListKey;
  currencies: string[] | null;
}>;

export async function orderOf(
  pool: Pool,
  gameId: number,
  { sort = 'newest', currency }: ListQuery,
  nowMs: number,
): Promise<ListOrder> {
  if (sort === 'lastSeen') return { read: readByLastSeen(nowMs), example: [0, ''], currencies: null };
  if (sort === 'newest') return { read: readNewest, example: [''], currencies: null };
  const currencies = await listPaidCurrencies(pool, gameId, nowMs - CURRENCY_DAYS * DAY_MS);
  const named = currency === undefined ? (currencies[0] ?? 'USD') : currencyOf(currency);
  return { read: readBySpend(named), example: ['', ''], currencies };
}

/** A cursor belongs to its sort and filters: with others it would skip players, or show them twice. */
export function listNameOf(query: ListQuery): string {
  const { sort = 'newest', ...filters } = query;
  const rest = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => ` ${name}=${value}`);
  return `${sort} players${rest.join('')}`;
}

/** The position of a cursor: its last member is an id, and an amount is a decimal. */
export function keyOfCursor(list: string, cursor: string | undefined, example: ListKey): ListKey | null {
  const key = cursorOf(list, cursor, example);
  if (key === undefined) return null;
  const [first] = key;
  const isAmount = key.length === 2 && typeof first === 'string';
  if (!ROW_ID.test(String(key.at(-1))) || (isAmount && !/^\d+(?:\.\d+)?$/.test(first))) throw cursorInvalid();
  if (typeof first === 'number') cursorTime(first);
  return key;
}
