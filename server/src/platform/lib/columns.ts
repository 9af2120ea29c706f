/** The value of a row, in a column that has one for each. */
export function cell<Value>(column: readonly Value[], row: number): Value {
  return column[row] as Value;
}
