/** `{1,2}`, as PostgreSQL writes an array of numbers. The driver looks for quotes in each of them, which takes longer than to read the row. */
export function numbersText(numbers: readonly number[]): string {
  return `{${numbers.join()}}`;
}
