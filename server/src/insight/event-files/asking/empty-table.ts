import { COLUMN_NAMES } from '../writing/parquet-file.js';

const TYPES: Partial<Record<(typeof COLUMN_NAMES)[number], string>> = {
  counted_at: 'timestamp',
  sent_at: 'timestamp',
  received_at: 'timestamp',
  clock_suspect: 'boolean',
  price: 'decimal(18, 6)',
};

/** The columns of the files as DuckDB has them, for a game that has none yet: all questions work, and find nothing. */
export const EMPTY_TABLE = COLUMN_NAMES.map((name) => `${name} ${TYPES[name] ?? 'varchar'}`).join(', ');
