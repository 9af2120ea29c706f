import {
  EXPOSURES_COLUMN,
  type ExposureTuple,
  OVERRIDES_COLUMN,
  type OverrideTuple,
  OWN_COLUMN,
  PINS_COLUMN,
  type PinTuple,
  PROMO_PURCHASES_COLUMN,
  STAYS_COLUMN,
  type StayTuple,
  toExposure,
  toOverride,
  toPin,
  toStay,
} from '../../core/players/facts-queries.js';
import type { PlayerFact } from '../../decide/attributes/fact-source.js';
import { type AgeGroup, epochDay, type ProfileMember } from '../../decide/attributes/player-facts.js';
import type { OwnFacts } from '../../decide/own-attributes/own-facts.js';
import { dateOf } from '../../platform/lib/day.js';
import { type DatedAmounts, type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';
import { datedRevenue } from '../../studio/money/rate-days.js';
import type { FactNeeds, WindowNeed } from './fact-needs.js';
import { DAY_COLUMNS, type DayColumn, PLAYER_COLUMNS, type PlayerColumn } from './fact-projections.js';
import { HISTORY_COLUMNS } from './history-columns.js';
import { RowFacts, type SummedDay, setCount, summedDay } from './row-facts.js';

type Value = unknown;
type Put = PlayerColumn['put'];

/**
 * The columns that hold the needed facts about a player, as SQL over `players p` and, for sums over days, `player_days d`; and
 * the conversion of a row to facts. Names of event types, currencies and the like are parameters, never part of the text.
 */
export type FactColumns = Readonly<{
  ofPlayer: readonly string[];
  /** The columns of a subquery over the days of the player; empty if no rule uses days. */
  ofDays: readonly string[];
  /** The parameters for the first and the last day of the windows. */
  firstDay: string;
  lastDay: string;
  /** The parameter for today; empty if no rule uses a prediction. If set, `ofPlayer` needs the subquery `HISTORY_DAYS` as `h`. */
  today: string;
  values: readonly unknown[];
  /** Takes a row with the values of `ofPlayer`, followed by the values of `ofDays`. */
  toFacts: (row: readonly Value[]) => RowFacts;
}>;

export type ColumnOptions = Readonly<{
  /** Decisions are made for this instant, which may be later than now. */
  atMs: number;
  /** Overrides and pins are those of now: what was cleared does not apply later. By default `atMs`. */
  nowMs?: number;
  /** Also reads what payers have spent in the reporting currency, which no rule uses. */
  rates?: RateTable | null;
}>;

export function factColumns(needs: FactNeeds, options: ColumnOptions): FactColumns {
  return new Columns(needs, options);
}

/** PostgreSQL allows 1,664 columns in a select list. */
export const MAX_COLUMNS = 1_600;
const RECENT_DAYS = 7;
const WINDOW_DAYS = 28;

class Columns implements FactColumns {
  readonly ofPlayer: string[] = [];
  readonly ofDays: string[] = [];
  readonly firstDay: string;
  readonly lastDay: string;
  readonly today: string;
  readonly values: unknown[] = [];
  readonly #puts: Put[] = [];
  readonly #dayPuts: Put[] = [];
  readonly #today: number;
  #firstRecentDay: string | undefined;
  readonly #reachesBack: boolean;
  readonly #single;

  constructor(needs: FactNeeds, { atMs, nowMs = atMs, rates = null }: ColumnOptions) {
    // $1 of OVERRIDES_COLUMN and PINS_COLUMN.
    this.#bind(new Date(nowMs), 'timestamptz');
    this.#today = epochDay(atMs);
    this.#reachesBack = needs.windows.some(({ last28d }) => last28d);
    this.#single = {
      recent: Object.freeze({ ...summedDay(this.#today), events: 1 }),
      older: Object.freeze({ ...summedDay(this.#today - RECENT_DAYS), events: 1 }),
    };
    const days = this.#reachesBack ? WINDOW_DAYS : RECENT_DAYS;
    // PostgreSQL refuses parameters that the statement does not use.
    const isWindowed = needs.windows.length > 0;
    this.firstDay = isWindowed ? this.#day(this.#today - days + 1) : '';
    this.lastDay = isWindowed ? this.#day(this.#today) : '';
    this.today = needs.history ? this.#day(this.#today) : '';

    this.#addPlayer('p.user_id', (facts, value) => {
      facts.userId = value as string;
    });
    this.#addFacts(needs);
    this.#addPlayer('p.age_group', (facts, value) => {
      facts.ageGroup = value as AgeGroup;
    });
    this.#addPlayer(OVERRIDES_COLUMN, (facts, value) => {
      facts.overrides = (value as OverrideTuple[]).map(toOverride);
    });
    this.#addPlayer(PINS_COLUMN, (facts, value) => {
      facts.pins = (value as PinTuple[]).map(toPin);
    });
    if (needs.stays) {
      this.#addPlayer(STAYS_COLUMN, (facts, value) => {
        facts.stays = (value as StayTuple[]).map(toStay);
      });
    }
    if (needs.exposures) {
      this.#addPlayer(EXPOSURES_COLUMN, (facts, value) => {
        facts.exposures = (value as ExposureTuple[]).map(toExposure);
      });
    }
    if (needs.own.size > 0) {
      this.#addPlayer('p.id', (facts, value) => {
        facts.playerId = value as string;
      });
      this.#addPlayer(OWN_COLUMN, (facts, value) => {
        facts.own = value as OwnFacts;
      });
    }
    if (rates !== null) this.#addReportedSpend(rates);
    this.#addEventTypes(needs);
    for (const member of needs.profile) this.#addProfile(member);
    if (needs.history) for (const { sql, put } of HISTORY_COLUMNS) this.#addPlayer(sql, put);
    for (const need of needs.windows) this.#addWindow(need);
  }

  toFacts = (row: readonly Value[]): RowFacts => {
    const facts = new RowFacts();
    const puts = this.#puts;
    for (let index = 0; index < puts.length; index++) {
      const value = row[index];
      if (value !== null) puts[index]?.(facts, value);
    }
    const dayPuts = this.#dayPuts;
    for (let index = 0; index < dayPuts.length; index++) {
      const value = row[puts.length + index];
      if (value !== null) dayPuts[index]?.(facts, value);
    }
    facts.layOutDays(this.#single);
    return facts;
  };

  #bind(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  #day(day: number): string {
    return this.#bind(dateOf(day), 'date');
  }

  #addPlayer(sql: string, put: Put): void {
    this.ofPlayer.push(sql);
    this.#puts.push(put);
  }

  #addFacts(needs: FactNeeds): void {
    for (const [fact, { sql, put }] of Object.entries(PLAYER_COLUMNS)) {
      if (needs[fact as PlayerFact]) this.#addPlayer(sql, put);
    }
    if (needs.promoIds.size === 0) return;
    this.#addPlayer(PROMO_PURCHASES_COLUMN, (facts, value) => {
      facts.promoPurchases = value as Record<string, number>;
    });
  }

  /** The days of a payer are looked up by index. */
  #addReportedSpend(rates: RateTable): void {
    const dated = datedRevenue('d.player_id = p.id', this.#bind(rates.changeDays, 'date[]'));
    this.#addPlayer(`case when p.purchase_count > 0 then (${dated}) end`, (facts, value) => {
      facts.reportedSpend = reportAmounts(rates, value as DatedAmounts[]);
    });
  }

  #addEventTypes({ eventTypes }: FactNeeds): void {
    for (const eventType of eventTypes) {
      this.#addPlayer(`p.event_counts -> ${this.#bind(eventType, 'text')}`, (facts, value) =>
        setCount(facts.eventCounts, eventType, value as number),
      );
    }
  }

  #addProfile(member: ProfileMember): void {
    const column = member === 'timeZone' ? 'p.time_zone' : `p.profile -> ${this.#bind(member, 'text')}`;
    this.#addPlayer(`${column} ->> 'v'`, (facts, value) => {
      facts.profile[member] = { v: value as string, t: 0 };
    });
  }

  /** A sum that only one window needs is not split. A sum that both need is split where the shorter window begins. */
  #addWindow({ source, key, last7d, last28d }: WindowNeed): void {
    const { sql, memberType, put } = DAY_COLUMNS[source];
    const value = key === null ? sql : `(${sql} -> ${this.#bind(key, 'text')})::${memberType}`;
    const add = (column: string, target: (facts: RowFacts) => SummedDay, putIn: DayColumn['put']) => {
      this.ofDays.push(column);
      this.#dayPuts.push((facts, sum) => putIn(target(facts), Number(sum), key ?? ''));
    };
    const addDay = (condition: string, target: (facts: RowFacts) => SummedDay) => {
      add(`sum(${value}) ${filter(condition)}`, target, put);
      if (source !== 'events') return;
      add(`nullif(count(*) ${filter(condition, 'd.events > 0')}, 0)`, target, (day, count) => {
        day.activeDays = count;
      });
    };
    const firstRecentDay = () => {
      this.#firstRecentDay ??= this.#day(this.#today - RECENT_DAYS + 1);
      return this.#firstRecentDay;
    };
    const recent = (facts: RowFacts) => {
      facts.recent ??= summedDay(this.#today);
      return facts.recent;
    };
    const older = (facts: RowFacts) => {
      facts.older ??= summedDay(this.#today - RECENT_DAYS);
      return facts.older;
    };
    if (last7d) addDay(this.#reachesBack ? `d.day >= ${firstRecentDay()}` : '', recent);
    if (last28d) addDay(last7d ? `d.day < ${firstRecentDay()}` : '', older);
  }
}

function filter(...conditions: readonly string[]): string {
  const given = conditions.filter((condition) => condition !== '');
  return given.length === 0 ? '' : `filter (where ${given.join(' and ')})`;
}
