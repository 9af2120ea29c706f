import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import { type SpendFacts, SpendSum } from './spend-sum.js';

/** How many players a part is true of under the old and the new document. */
export type Counts = { before: number; after: number; enter: number; leave: number; stay: number };

const MAX_EXAMPLES = 5;

/** Counts for one segment, offer or flag. */
export class Tally {
  readonly counts: Counts = { before: 0, after: 0, enter: 0, leave: 0, stay: 0 };
  /** Players after with a purchase that was not refunded. */
  payers = 0;
  readonly spend = new SpendSum();
  readonly entering: string[] = [];
  readonly leaving: string[] = [];

  add(isBefore: boolean, isAfter: boolean, facts: PlayerFacts & SpendFacts): void {
    if (!isBefore && !isAfter) return;
    const { counts } = this;
    if (isBefore) {
      counts.before++;
      if (isAfter) counts.stay++;
      else {
        counts.leave++;
        if (this.leaving.length < MAX_EXAMPLES) this.leaving.push(facts.userId);
      }
    }
    if (!isAfter) return;
    counts.after++;
    if (!isBefore) {
      counts.enter++;
      if (this.entering.length < MAX_EXAMPLES) this.entering.push(facts.userId);
    }
    if (facts.purchaseCount === 0) return;
    this.payers++;
    this.spend.add(facts);
  }
}
