const BLOCK_BITS = 15;
const BITS = 2 ** BLOCK_BITS;

/** A set of ids of rows, as bits: those of a million players of one game take some hundred kilobytes. */
export class IdSet {
  readonly #blocks = new Map<number, Uint32Array>();

  add(id: number): void {
    const [key, bit] = [Math.floor(id / BITS), id % BITS];
    const block = this.#blocks.get(key) ?? new Uint32Array(BITS / 32);
    this.#blocks.set(key, block);
    block[bit >>> 5] = (block[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  /** Those above an id in their order, so many at a time. */
  *chunksBehind(behind: number, size: number): Generator<number[]> {
    let chunk: number[] = [];
    for (const id of this.#above(behind)) {
      chunk.push(id);
      if (chunk.length < size) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  *#above(behind: number): Generator<number> {
    for (const [key, block] of [...this.#blocks].sort(([a], [b]) => a - b)) {
      if ((key + 1) * BITS <= behind) continue;
      for (const [index, word] of block.entries()) {
        for (let bit = 0; bit < 32 && word >>> bit !== 0; bit++) {
          const id = key * BITS + index * 32 + bit;
          if ((word >>> bit) & 1 && id > behind) yield id;
        }
      }
    }
  }
}
