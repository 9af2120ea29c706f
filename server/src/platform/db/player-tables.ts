/** A table whose rows belong to single players. */
export type PlayerTable = Readonly<{
  name: string;
  /** The column with the internal id of the player. */
  playerColumn: 'id' | 'player_id';
  /**
   * What the rebuild of a player at a past instant needs (liveops/explanations/shadow-tables.ts).
   * `folded`: the fold of events writes the table, and begins with it empty.
   * `copied`: the facts about a player are read from it, and its rows of that time are copied.
   * `none`: neither the fold nor the facts use it.
   */
  rebuild: 'folded' | 'copied' | 'none';
  /** Whether it consists of partitions, which are named after it: `event_blocks_20261117`. */
  isPartitioned: boolean;
}>;

/**
 * Every table of a player, for whatever has to treat all of them: shadow tables, exports and erasures of a player, plan tests, rules about keys.
 * server/test/platform/db/player-tables.test.ts fails if a table of the schema is missing here. The recount does not use the list: it is
 * written apart from the fold, so that a mistake in one is not repeated in the other.
 */
export const PLAYER_TABLES = [
  { name: 'players', playerColumn: 'id', rebuild: 'folded', isPartitioned: false },
  { name: 'player_days', playerColumn: 'player_id', rebuild: 'folded', isPartitioned: false },
  { name: 'transactions', playerColumn: 'player_id', rebuild: 'folded', isPartitioned: false },
  { name: 'transaction_changes', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'player_promotions', playerColumn: 'player_id', rebuild: 'folded', isPartitioned: false },
  { name: 'flag_overrides', playerColumn: 'player_id', rebuild: 'copied', isPartitioned: false },
  { name: 'player_pins', playerColumn: 'player_id', rebuild: 'copied', isPartitioned: false },
  { name: 'segment_stays', playerColumn: 'player_id', rebuild: 'copied', isPartitioned: false },
  { name: 'experiment_exposures', playerColumn: 'player_id', rebuild: 'copied', isPartitioned: false },
  { name: 'devices', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'sessions', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'event_blocks', playerColumn: 'player_id', rebuild: 'none', isPartitioned: true },
  { name: 'event_identities', playerColumn: 'player_id', rebuild: 'none', isPartitioned: true },
  { name: 'event_installs', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'event_gaps', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'player_notes', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'failed_events', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'player_exports', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'player_keys', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'erasure_codes', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
  { name: 'erasures', playerColumn: 'player_id', rebuild: 'none', isPartitioned: false },
] as const satisfies readonly PlayerTable[];

export type PlayerTableName = (typeof PLAYER_TABLES)[number]['name'];
