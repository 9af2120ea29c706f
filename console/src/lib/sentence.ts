/** Words, or a moment in UTC as the service writes it. */
export type SentencePart = { words: string; at?: undefined } | { words?: undefined; at: string };

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

export function partsOfSentence(text: string): SentencePart[] {
  return text
    .split(MOMENT)
    .map((part) => (MOMENT.test(part) && !Number.isNaN(Date.parse(part)) ? { at: part } : { words: part }))
    .filter(({ words }) => words !== '');
}
