type Weighted = { readonly weight: number };

/** `headSince`: since when its first item has been waiting for the turn of the line, not for others of the line. */
type Line<T> = { items: T[]; weight: number; headSince: number };

export type Load = { readonly requests: number; readonly weight: number };
const NO_LOAD: Load = { requests: 0, weight: 0 };

/**
 * One line per key, first in, first out. The lines take turns, one item each: however many items a key has in its line, the
 * others wait for one of them at most. A key can be held: its items wait, and its line has no turn until it is released.
 */
export class FairLines<T extends Weighted> {
  /** Lines that are not empty, the one whose turn it is first. */
  readonly #lines = new Map<string, Line<T>>();
  /** Lines of held keys, also empty ones. */
  readonly #held = new Map<string, Line<T>>();
  #size = 0;
  #weight = 0;
  #headWeight = 0;

  /** Items in all lines, held ones too. */
  get size(): number {
    return this.#size;
  }

  /** Weight of all lines, held ones too. */
  get weight(): number {
    return this.#weight;
  }

  /** Whether a line waits for its turn. */
  get hasNext(): boolean {
    return this.#lines.size > 0;
  }

  /** Weight of the first item of each line that has turns: what comes before a newcomer whose line is empty. */
  get headWeight(): number {
    return this.#headWeight;
  }

  loadOf(key: string): Load {
    const line = this.#find(key);
    return line === undefined ? NO_LOAD : { requests: line.items.length, weight: line.weight };
  }

  /** The item of the key that is next, also while the key is held. */
  headOf(key: string): T | undefined {
    return this.#find(key)?.items[0];
  }

  /** Since when the line whose turn is next has been waiting for it; undefined if there is none. */
  nextSince(): number | undefined {
    for (const { headSince } of this.#lines.values()) return headSince;
    return undefined;
  }

  append(key: string, item: T, now: number): void {
    const line = this.#find(key) ?? this.#open(key, now);
    line.items.push(item);
    line.weight += item.weight;
    if (line.items.length === 1 && !this.isHeld(key)) this.#headWeight += item.weight;
    this.#weight += item.weight;
    this.#size++;
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  /** From now on the line of the key has no turn. */
  hold(key: string): void {
    if (this.#held.has(key)) return;
    const line = this.#lines.get(key) ?? emptyLine(0);
    this.#lines.delete(key);
    this.#headWeight -= line.items[0]?.weight ?? 0;
    this.#held.set(key, line);
  }

  /** The line takes turns again, and is the last now. */
  release(key: string, now: number): void {
    const line = this.#held.get(key);
    this.#held.delete(key);
    const head = line?.items[0];
    if (line === undefined || head === undefined) return;
    line.headSince = now;
    this.#lines.set(key, line);
    this.#headWeight += head.weight;
  }

  /** The first item of the line whose turn it is. That line is the last then. */
  takeNext(now: number): T | undefined {
    for (const [key, line] of this.#lines) {
      const item = line.items[0];
      if (item === undefined) continue;
      this.remove(key, item);
      if (line.items.length > 0) {
        line.headSince = now;
        this.#lines.delete(key);
        this.#lines.set(key, line);
      }
      return item;
    }
    return undefined;
  }

  /** Does nothing if the item is not in the line. */
  remove(key: string, item: T): void {
    const line = this.#find(key);
    const index = line?.items.indexOf(item) ?? -1;
    if (line === undefined || index === -1) return;
    if (index === 0 && !this.isHeld(key)) this.#headWeight += (line.items[1]?.weight ?? 0) - item.weight;
    line.items.splice(index, 1);
    line.weight -= item.weight;
    this.#weight -= item.weight;
    this.#size--;
    if (line.items.length === 0) this.#lines.delete(key);
  }

  #find(key: string): Line<T> | undefined {
    return this.#lines.get(key) ?? this.#held.get(key);
  }

  #open(key: string, now: number): Line<T> {
    const line = emptyLine<T>(now);
    this.#lines.set(key, line);
    return line;
  }
}

function emptyLine<T>(headSince: number): Line<T> {
  return { items: [], weight: 0, headSince };
}
