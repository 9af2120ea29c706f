/** ` Did you mean "country"?` for a misspelt name, or nothing when no name is near. */
export function suggestion(name: string, names: Iterable<string>): string {
  let nearest: string | undefined;
  // A third of the letters may differ: beyond that it is another word.
  let best = Math.floor(name.length / 3) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= best) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < best) [nearest, best] = [candidate, distance];
  }
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
