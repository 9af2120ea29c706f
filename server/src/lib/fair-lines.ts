type Weighted = { readonly weight: number };

/** `headSince`: since when its first item has been waiting for the turn of the line, not for others of the line. */
type Line<T> = { items: T[]; weight: number; headSince: number };

export type Load = { readonly requests: number; readonly weight: number };
const NO_LOAD: Load = { requests: 0, weight: 0 };

/**
 * One line per key, first in, first out. The lines take turns, one item each: however many items a key has in its line, the
 * others wait for one of them at most.
 */
export class FairLines<T extends Weighted> {
  /** Lines that are not empty, the one whose turn it is first. */
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;
  #weight = 0;
  #headWeight = 0;

  /** Items in all lines. */
  get size(): number {
    return this.#size;
  }

  /** Weight of all lines. */
  get weight(): number {
    return this.#weight;
  }

  /** Weight of the first item of each line: what comes before a newcomer whose line is empty. */
  get headWeight(): number {
    return this.#headWeight;
  }

  loadOf(key: string): Load {
    const line = this.#lines.get(key);
    return line === undefined ? NO_LOAD : { requests: line.items.length, weight: line.weight };
  }

  /** Since when the line whose turn is next has been waiting for it; undefined if there is none. */
  nextSince(): number | undefined {
    for (const { headSince } of this.#lines.values()) return headSince;
    return undefined;
  }

  append(key: string, item: T, now: number): void {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, { items: [item], weight: item.weight, headSince: now });
      this.#headWeight += item.weight;
    } else {
      line.items.push(item);
      line.weight += item.weight;
    }
    this.#weight += item.weight;
    this.#size++;
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
    const line = this.#lines.get(key);
    const index = line?.items.indexOf(item) ?? -1;
    if (line === undefined || index === -1) return;
    if (index === 0) this.#headWeight += (line.items[1]?.weight ?? 0) - item.weight;
    line.items.splice(index, 1);
    line.weight -= item.weight;
    this.#weight -= item.weight;
    this.#size--;
    if (line.items.length === 0) this.#lines.delete(key);
  }
}
