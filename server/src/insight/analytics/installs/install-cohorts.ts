/** What revenue per install is told by. Both describe the player on the first day. */
const INSTALL_DIMENSIONS = ['country', 'source'] as const;
export type InstallDimension = (typeof INSTALL_DIMENSIONS)[number];

/** Players who started in the same week (from Monday on) or month are a cohort. */
export const PERIODS = ['week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** A curve goes from the day of the start (0) to this day after. */
export const MAX_AGE_DAYS = 180;

/** Players who started up to this many days ago are summed, and those of the same week or month. */
export const SUMMED_START_DAYS = 365;
