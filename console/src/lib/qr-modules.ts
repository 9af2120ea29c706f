/** The modules of a QR code: dark ones are true. */
export type QrModules = readonly (readonly boolean[])[];
type Fixed = (boolean | undefined)[][];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** How many bytes fit between the patterns that every code of this version has. */
export function capacityOf(version: number): number {
  const free = fixedModules(version, 0).flat();
  return Math.floor(free.filter((module) => module === undefined).length / 8);
}

/** Draws the bytes with each of the eight masks, and returns the one that cameras read best. */
export function drawCode(codewords: readonly number[], version: number): QrModules {
  const ranked = MASKS.map((_, mask) => {
    const modules = drawMasked(codewords, version, mask);
    return { modules, penalty: penaltyOf(modules) };
  });
  return ranked.reduce((best, each) => (each.penalty < best.penalty ? each : best)).modules;
}

/** In columns of two, from the right: the first goes up, the next down. Column 6 is left out: it is a pattern. */
function drawMasked(codewords: readonly number[], version: number, mask: number): QrModules {
  const modules = fixedModules(version, mask);
  const size = modules.length;
  const isMasked = MASKS[mask] ?? (() => false);
  let at = 0;
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      const row = modules[y] ?? [];
      for (const x of [right, right - 1]) {
        if (row[x] !== undefined) continue;
        const bit = ((codewords[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1;
        row[x] = (bit === 1) !== isMasked(x, y);
        at++;
      }
    }
  }
  return modules.map((row) => row.map((module) => module === true));
}

/** What does not hold data: the patterns that cameras look for, and the numbers of mask and version. */
function fixedModules(version: number, mask: number): Fixed {
  const size = 17 + 4 * version;
  const modules: Fixed = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined));
  const set = (x: number, y: number, isDark: boolean) => {
    const row = modules[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(set, x, y, 4);
  for (const [x, y] of alignmentCentres(version)) drawRings(set, x, y, 2);
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  return modules;
}

type Set = (x: number, y: number, isDark: boolean) => void;

/** Rings around a dark centre: that of radius 2 is light in corners (radius 4) and dark in the alignment patterns (radius 2). */
function drawRings(set: Set, x: number, y: number, radius: number): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(x + dx, y + dy, radius === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
    }
  }
}

/** On a grid, but not where the three corners are. */
function alignmentCentres(version: number): (readonly [number, number])[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = 10 + 4 * version;
  const step = 2 * Math.ceil((last - 6) / (2 * count - 2));
  const places = [6, ...Array.from({ length: count - 1 }, (_, n) => last - (count - 2 - n) * step)];
  const isCorner = (x: number, y: number) =>
    (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
  return places.flatMap((y) => places.filter((x) => !isCorner(x, y)).map((x) => [x, y] as const));
}

/** Level M is 00. Twice, beside the corners. */
function drawFormat(set: Set, size: number, mask: number): void {
  const bits = ((mask << 10) | checksum(mask, 0x537, 10)) ^ 0x5412;
  for (let i = 0; i < 15; i++) {
    const isDark = ((bits >>> i) & 1) === 1;
    const place = i < 6 ? i : i < 8 ? i + 1 : 0;
    if (i < 8) {
      set(8, place, isDark);
      set(size - 1 - i, 8, isDark);
    } else {
      set(i === 8 ? 7 : 14 - i, 8, isDark);
      set(8, size - 15 + i, isDark);
    }
  }
  set(8, size - 8, true);
}

function drawVersion(set: Set, size: number, version: number): void {
  const bits = (version << 12) | checksum(version, 0x1f25, 12);
  for (let i = 0; i < 18; i++) {
    const [near, far] = [Math.floor(i / 3), size - 11 + (i % 3)];
    set(near, far, ((bits >>> i) & 1) === 1);
    set(far, near, ((bits >>> i) & 1) === 1);
  }
}

/** The remainder of a division of polynomials over two elements. */
function checksum(value: number, divisor: number, bits: number): number {
  let left = value;
  for (let i = 0; i < bits; i++) left = (left << 1) ^ ((left >>> (bits - 1)) * divisor);
  return left;
}

/** What makes a code hard to read: long runs, squares, shapes like a corner, too much of one colour. */
function penaltyOf(modules: QrModules): number {
  const rows = modules.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''));
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(''));
  let penalty = 0;
  for (const line of [...rows, ...columns]) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    penalty += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let y = 1; y < rows.length; y++) {
    for (let x = 1; x < rows.length; x++) {
      const [above = '', here = ''] = [rows[y - 1], rows[y]];
      const square = above.slice(x - 1, x + 1) + here.slice(x - 1, x + 1);
      if (square === '0000' || square === '1111') penalty += 3;
    }
  }
  const dark = modules.flat().filter(Boolean).length / rows.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
