/** The ids of rows: PostgreSQL's `bigint`, which the driver gives as text. */

/** Matches every id that a table has given so far, and nothing that is too large for a `bigint`. */
export const ROW_ID = /^\d{1,18}$/;

/** The largest `bigint`: no row comes after it. */
export const MAX_ROW_ID = '9223372036854775807';
