import type {
  ExperimentExposure,
  FlagOverride,
  PlayerDay,
  PlayerFacts,
  PlayerHistory,
  PlayerPin,
  PlayerProfile,
  SegmentStay,
} from '../../decide/attributes/player-facts.js';
import { BLANK_HISTORY } from '../../decide/attributes/player-history.js';
import { NOTHING_WORKED_OUT, type OwnFacts } from '../../decide/own-attributes/own-facts.js';
import type { RecentDay } from '../../decide/predict/prediction-facts.js';
import type { ReportedAmount } from '../../studio/money/exchange-rates.js';

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };
type Counts = Record<string, number>;

export type SummedDay = Mutable<Omit<PlayerDay, 'eventCounts' | 'revenue'>> & {
  eventCounts: Counts;
  revenue: Counts;
  /** How many days with events the sum stands for. */
  activeDays: number;
};

/** The facts about one player, filled in column by column. Facts without a column stay as for a player without events. */
export class RowFacts implements PlayerFacts {
  /** Only where rules use own attributes, which may have to be worked out from the events of the player. */
  playerId = '';
  userId = '';
  createdAt = 0;
  lastEventAt: number | null = null;
  eventCount = 0;
  eventCounts: Counts = {};
  purchaseCount = 0;
  lastPurchaseAt: number | null = null;
  spend: Counts = NOTHING;
  /** Of payers, if exchange rates were given. */
  reportedSpend: ReportedAmount | null = null;
  profile: Mutable<PlayerProfile> = {};
  days: PlayerDay[] = [];
  promoPurchases: Counts = NOTHING;
  overrides: readonly FlagOverride[] = [];
  pins: readonly PlayerPin[] = [];
  overridesAt: number | null = null;
  stays: readonly SegmentStay[] = [];
  exposures: readonly ExperimentExposure[] = [];
  ageGroup: PlayerFacts['ageGroup'] = null;
  ageGroupAt: number | null = null;
  /** A shared blank value, until `layOutHistory` replaces it. */
  history: Mutable<PlayerHistory> = BLANK_HISTORY;
  own: OwnFacts = NOTHING_WORKED_OUT;
  /** The sum of the last 7 days, and the sum of the 21 days before. */
  recent: SummedDay | null = null;
  older: SummedDay | null = null;
  /** For predictions: the sum of 7 days, and the purchases of 28 days, each as one day. */
  weekOfHistory: Mutable<RecentDay> = NO_DAY;
  monthOfHistory: Mutable<RecentDay> = NO_DAY;

  /** To be called before values are put into the history. `lastDay`: the last day that predictions use. */
  layOutHistory(lastDay: number): void {
    this.weekOfHistory = recentDay(lastDay);
    this.monthOfHistory = recentDay(lastDay - 7);
    this.history = { ...BLANK_HISTORY, recentDays: [this.weekOfHistory, this.monthOfHistory] };
  }

  /**
   * Rules only sum days, so two days can stand for 28. Rules may also count the days with events. For that, days with a
   * single event each are added, and as many events are taken from the two. The added days are shared by all players.
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

/** Defines the member: a plain assignment to `__proto__` would set no member. */
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
