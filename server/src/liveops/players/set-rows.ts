import { toTime } from '../../platform/admin-api/admin-responses.js';

/** What overrides and pins share: both are set for one player, whatever the rules say, and both come and go in the same way (overrides.ts). */

/** Why and by whom it was set, until when, and what became of it. */
export type SetRow = {
  reason: string;
  author: string;
  /** Of the person who was signed in, like `clearedByEmail`; null for a token, a command and the service itself. */
  authorEmail: string | null;
  setAt: number;
  until: number | null;
  clearedAt: number | null;
  clearedBy: string | null;
  clearedByEmail: string | null;
};

export const SET_COLUMNS = `reason, author, author_email as "authorEmail", set_at as "setAt", until,
  cleared_at as "clearedAt", cleared_by as "clearedBy", cleared_by_email as "clearedByEmail"`;

export const NOT_CLEARED = { clearedAt: null, clearedBy: null, clearedByEmail: null };
export type Cleared = keyof typeof NOT_CLEARED;

/** `after`: the last row of the page before. */
export type SetPage = Readonly<{
  limit: number;
  after?: Readonly<{ isCleared: boolean; id: string }> | undefined;
}>;

/** The page of a player, for `pageValues`: the current ones first, then those that are over, newest first. */
export const PAGE_OF_PLAYER = `where player_id = $1 and ($2::boolean is null or (cleared_at is not null, -id) > ($2, -$3::bigint))
             order by cleared_at is not null, id desc
             limit $4`;

export function pageValues(playerId: string, { limit, after }: SetPage) {
  return [playerId, after?.isCleared ?? null, after?.id ?? null, limit];
}

/** As the audit log has it. */
export function saidOf({ value, reason, author, setAt, until }: SetRow & { value: unknown }) {
  return {
    value,
    reason,
    author,
    setAt: toTime(setAt),
    until: toTime(until),
  };
}
