import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cursorId, cursorOf } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { ROW_ID } from '../../platform/lib/row-id.js';
import { readUntil, UNTIL_WRONG } from './override-limits.js';
import type { SetPage, SetRow } from './set-rows.js';

/** What the routes of overrides and of pins share. */

/** How many are listed at once. */
export const LIST_LIMITS = { max: 500, fallback: 500 };

export function afterOf(list: string, cursor: string | undefined): SetPage['after'] {
  const key = cursorOf(list, cursor, [0, '']);
  if (key === undefined) return undefined;
  return { isCleared: key[0] === 1, id: cursorId(key[1], ROW_ID) };
}

export function keyOf({ clearedAt, id }: Readonly<{ clearedAt: number | null; id: string }>) {
  return [clearedAt === null ? 0 : 1, id];
}

export function endOf(until: string | null | undefined, nowMs: number): number | null {
  if (until == null) return null;
  const end = readUntil(until, nowMs);
  if (end !== undefined) return end;
  throw new ApiError('body_invalid', { message: `${UNTIL_WRONG}, or null.` });
}

/** Who set it and when, what became of it, and whether it is in force. */
export function setMembers(row: SetRow, nowMs: number) {
  const { reason, author, authorEmail, setAt, until, clearedAt, clearedBy, clearedByEmail } = row;
  const isExpired = until !== null && until <= nowMs;
  const state = clearedAt !== null ? 'cleared' : isExpired ? 'expired' : 'in_force';
  return {
    reason,
    author,
    authorEmail,
    clearedBy,
    clearedByEmail,
    setAt: toTime(setAt),
    until: toTime(until),
    clearedAt: toTime(clearedAt),
    state,
  } as const;
}
