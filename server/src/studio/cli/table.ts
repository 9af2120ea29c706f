/** Rows as lines of a terminal, in columns: texts begin below each other, numbers end below each other. */
export function tableLines(
  rows: readonly (readonly string[])[],
  isNumber: (column: number, columns: number) => boolean,
): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber(column, columns) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A name, numbers, and a text at the end. */
export function isBetweenTexts(column: number, columns: number): boolean {
  return column > 0 && column < columns - 1;
}
