import type {
  FlagOverride,
  PlayerDay,
  PlayerFacts,
  PlayerHistory,
  PlayerProfile,
  SegmentStay,
} from '../../personalisation/attributes/player-facts.js';
import { BLANK_HISTORY } from '../../personalisation/attributes/player-history.js';
import type { RecentDay } from '../../personalisation/predict/prediction-facts.js';

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };
type Counts = Record<string, number>;

export type SummedDay = Mutable<Omit<PlayerDay, 'eventCounts' | 'revenue'>> & {
  eventCounts: Counts;
  revenue: Counts;
  /** How many days with events it stands for. */
  activeDays: number;
};

/** The facts of one player, filled in column by column. What no column was asked for stays as if nothing had happened. */
export class RowFacts implements PlayerFacts {
  userId = '';
  createdAt = 0;
  lastEventAt: number | null = null;
  eventCount = 0;
  eventCounts: Counts = {};
  purchaseCount = 0;
  lastPurchaseAt: number | null = null;
  spend: Counts = NOTHING;
  profile: Mutable<PlayerProfile> = {};
  days: PlayerDay[] = [];
  promoPurchases: Counts = NOTHING;
  overrides: readonly FlagOverride[] = [];
  overridesAt: number | null = null;
  stays: readonly SegmentStay[] = [];
  /** Shared by all players until `layOutHistory` gives this one their own. */
  history: Mutable<PlayerHistory> = BLANK_HISTORY;
  /** The last 7 days in one, and the 21 before them. */
  recent: SummedDay | null = null;
  older: SummedDay | null = null;
  /** For predictions: what was done in 7 days and, of purchases, in 28, each as one day. */
  weekOfHistory: Mutable<RecentDay> = NO_DAY;
  monthOfHistory: Mutable<RecentDay> = NO_DAY;

  /** Comes before all that is put into the history. `lastDay`: the last one that predictions look at. */
  layOutHistory(lastDay: number): void {
    this.weekOfHistory = recentDay(lastDay);
    this.monthOfHistory = recentDay(lastDay - 7);
    this.history = { ...BLANK_HISTORY, recentDays: [this.weekOfHistory, this.monthOfHistory] };
  }

  /**
   * Rules only ever add days up, so two days can stand for 28. But they may also ask on how many days there were events:
   * for that, days with a single event each stand beside the two, which have so many fewer. They are shared by all
   * players.
   */
  layOutDays(single: Readonly<{ recent: PlayerDay; older: PlayerDay }>): void {
    if (this.recent !== null) this.#layOut(this.recent, single.recent);
    if (this.older !== null) this.#layOut(this.older, single.older);
  }

  #layOut(day: SummedDay, single: PlayerDay): void {
    this.days.push(day);
    for (let n = 1; n < day.activeDays; n++) {
      day.events--;
      this.days.push(single);
    }
  }
}

const NOTHING: Counts = Object.freeze({});

const NO_DAY: Mutable<RecentDay> = Object.freeze(recentDay(0));

function recentDay(epochDay: number): Mutable<RecentDay> {
  return { epochDay, sessions: 0, adImpressions: 0, storeViews: 0, playMs: 0, purchases: 0 };
}

export function summedDay(epochDay: number): SummedDay {
  return {
    epochDay,
    events: 0,
    sessions: 0,
    adImpressions: 0,
    storeViews: 0,
    playMs: 0,
    eventCounts: {},
    purchases: 0,
    revenue: {},
    activeDays: 0,
  };
}

/** `__proto__` is a name like any other here; assigned to, it would be none. */
export function setCount(counts: Counts, name: string, count: number): void {
  if (name !== '__proto__') counts[name] = count;
  else
    Object.defineProperty(counts, name, {
      value: count,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
