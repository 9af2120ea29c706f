/** The end of an id. Ids of players begin with the time, so players of the same minute have the same beginning. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;
