/** What is wrong with a file of rows; null where it is not about one row or one column. */
export type RowError = Readonly<{ row: number | null; column: string | null; message: string }>;

/** More errors would not be read, and a hostile file cannot turn a small mistake into a huge response. */
export const MAX_ROW_ERRORS = 1000;
