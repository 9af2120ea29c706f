/**
 * The solution of A x = b for a symmetric, positive definite A, of which the lower triangle is read, by Cholesky's
 * decomposition (Golub and Van Loan, "Matrix Computations", 4.2). What rounding has made indefinite gets a tiny pivot instead.
 */
const MIN_PIVOT = 1e-12;

export function solvePositive(a: readonly (readonly number[])[], b: readonly number[]): number[] {
  const size = b.length;
  const lower: number[][] = [];
  for (let row = 0; row < size; row += 1) {
    const line: number[] = [];
    lower.push(line);
    for (let column = 0; column <= row; column += 1) {
      let sum = at(a, row, column);
      for (let k = 0; k < column; k += 1) sum -= (line[k] as number) * at(lower, column, k);
      if (column < row) line.push(sum / at(lower, column, column));
      else line.push(Math.sqrt(Math.max(sum, MIN_PIVOT)));
    }
  }
  const forward: number[] = [];
  for (let row = 0; row < size; row += 1) {
    let sum = b[row] as number;
    for (let k = 0; k < row; k += 1) sum -= at(lower, row, k) * (forward[k] as number);
    forward.push(sum / at(lower, row, row));
  }
  const solution = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = forward[row] as number;
    for (let k = row + 1; k < size; k += 1) sum -= at(lower, k, row) * (solution[k] as number);
    solution[row] = sum / at(lower, row, row);
  }
  return solution;
}

function at(matrix: readonly (readonly number[])[], row: number, column: number): number {
  return (matrix[row] as readonly number[])[column] as number;
}
