import { daysBefore, todayUtc } from './dashboard.js';

/** The sort and filters of the list of players, as the address has them. */
export type PlayerFilters = {
  sort?: string | undefined;
  currency?: string | undefined;
  paid?: string | undefined;
  country?: string | undefined;
  seen?: string | undefined;
  segment?: string | undefined;
};

export const SORTS = [
  ['', 'newest first'],
  ['lastSeen', 'last heard of first'],
  ['spend', 'who paid most'],
] as const;

/** `7`: seen in the last seven days; `-7`: not seen in them. */
export const SEEN = [
  ['', 'at any time'],
  ['1', 'today or yesterday'],
  ['7', 'in the last 7 days'],
  ['30', 'in the last 30 days'],
  ['-7', 'not for 7 days'],
  ['-30', 'not for 30 days'],
] as const;

const DECIMAL = /^\d{1,12}(?:\.\d{1,6})?$/;

/** What the admin API is asked for. `currencies`: those of the payers, once they are known. */
export function listQuery(
  { sort, currency, paid, country, seen, segment }: PlayerFilters,
  currencies: readonly string[],
  nowMs: number,
) {
  const isBySpend = sort === 'spend';
  const paidIn = currency ?? currencies[0];
  const days = Number(seen ?? 0) || 0;
  const day = days === 0 ? undefined : daysBefore(todayUtc(nowMs), Math.abs(days));
  return {
    ...(sort === 'lastSeen' || isBySpend ? { sort: sort as 'lastSeen' | 'spend' } : {}),
    ...(isBySpend && paidIn !== undefined ? { currency: paidIn } : {}),
    ...(isBySpend && paidIn !== undefined && paid !== undefined && DECIMAL.test(paid)
      ? { minSpend: paid }
      : {}),
    ...(country === undefined ? {} : { country }),
    ...(segment === undefined ? {} : { segment }),
    ...(day === undefined ? {} : days > 0 ? { seenSince: day } : { seenBefore: day }),
  };
}
