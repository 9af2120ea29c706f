/** What the numbers of a back-test do not say. These sentences are shown next to them. */
export const CANNOT_KNOW = {
  matches:
    'Players count for a day on which they were here. They are examined as they were at its start (UTC), new players as they were at their first login: what they did during the day may have changed it. Whether they would have played more or less under the document is not known.',
  prices:
    'The price under the document is that at the instant of the purchase, with what was known of the player at the start of the day. A currency that the player named later that day is not known yet.',
  purchases:
    'These are the purchases that were made at the prices of then. Whether a lower price would have sold more, or a higher price less, is not known.',
} as const;
