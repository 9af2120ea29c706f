/** The end of an id. Ids of players begin with the time, so the beginnings of all who came in the same minute are the same. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;
