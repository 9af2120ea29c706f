import { type Static, type TSchema, Type } from 'typebox';
import type { PlayerDay, PlayerHistory } from '../../decide/attributes/player-facts.js';
import { dayRanges, daysText } from '../../decide/attributes/player-history.js';
import type { DayRange } from '../../decide/predict/prediction-facts.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';

/** The facts that predictions use, as JSON: days by their dates. A hypothetical player may have them, too. */

const strict = { additionalProperties: false } as const;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DayText = Type.String({ pattern: TEXT_FORMS.day.pattern, examples: ['2026-11-15'] });
const Days = (description: string) =>
  Type.Array(Type.Object({ from: DayText, to: DayText }, strict), { maxItems: 200, description });

export const HistoryJson = Type.Object(
  {
    firstDay: Type.Optional(nullable(DayText)),
    activeDays: Type.Optional(Days('Days with an event, both ends included')),
    purchaseDays: Type.Optional(Days('Days with a purchase, both ends included; 180 days back')),
    firstPurchaseDay: Type.Optional(nullable(DayText)),
    earlierPurchaseDays: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 0,
          description: 'How many days with a purchase there are before those of purchaseDays',
        }),
      ),
    ),
    repeatSpend: Type.Optional(
      Type.Record(Type.String({ pattern: TEXT_FORMS.currency.pattern }), Type.Number(), {
        description: 'Currency → spent after the first day with a purchase',
      }),
    ),
  } satisfies Record<Exclude<keyof PlayerHistory, 'recentDays'>, TSchema>,
  {
    ...strict,
    description:
      'The facts that predictions use. For a hypothetical player they follow from `days`, if left out.',
  },
);
export type HistoryJson = Static<typeof HistoryJson>;

export function toHistoryJson(history: PlayerHistory): HistoryJson {
  const days = (text: string) =>
    dayRanges(text).map(([from, until]) => ({ from: dateOf(from), to: dateOf(until - 1) }));
  return {
    firstDay: dateOrNull(history.firstDay),
    activeDays: days(history.activeDays),
    purchaseDays: days(history.purchaseDays),
    firstPurchaseDay: dateOrNull(history.firstPurchaseDay),
    earlierPurchaseDays: history.earlierPurchaseDays,
    repeatSpend: history.repeatSpend,
  };
}

/** Adds a message to `wrong` for each text that is no date. */
export function readHistory(json: HistoryJson, wrong: string[]): PlayerHistory {
  const dayOf = (name: string, text: string): number => {
    const day = Date.parse(`${text}T00:00:00Z`) / DAY_MS;
    if (!Number.isInteger(day)) wrong.push(`history.${name} must be a date such as 2026-11-15.`);
    return Number.isInteger(day) ? day : 0;
  };
  const dayOrNull = (name: string, text: string | null | undefined) =>
    text == null ? null : dayOf(name, text);
  const days = (name: 'activeDays' | 'purchaseDays'): string => {
    const ranges = (json[name] ?? []).map(
      ({ from, to }): DayRange => [dayOf(name, from), dayOf(name, to) + 1],
    );
    ranges.sort(([one], [other]) => one - other);
    const isOrdered = ranges.every(
      ([from, until], n) => from < until && from >= (ranges[n - 1]?.[1] ?? from),
    );
    if (!isOrdered) wrong.push(`history.${name} must not overlap, and none may end before it begins.`);
    return daysText(ranges);
  };
  return {
    firstDay: dayOrNull('firstDay', json.firstDay),
    activeDays: days('activeDays'),
    purchaseDays: days('purchaseDays'),
    firstPurchaseDay: dayOrNull('firstPurchaseDay', json.firstPurchaseDay),
    earlierPurchaseDays: json.earlierPurchaseDays ?? null,
    repeatSpend: json.repeatSpend ?? {},
  };
}

/** The history of a hypothetical player of whom only these days are given. */
export function historyOfDays(days: readonly PlayerDay[]): PlayerHistory {
  const sorted = days.toSorted((one, other) => one.epochDay - other.epochDay);
  const active = sorted.filter(({ events }) => events > 0);
  const bought = sorted.filter(({ purchases }) => purchases > 0);
  const text = (list: readonly PlayerDay[]) =>
    daysText([...new Set(list.map(({ epochDay }) => epochDay))].map((day): DayRange => [day, day + 1]));
  const firstPurchaseDay = bought[0]?.epochDay ?? null;
  const repeatSpend: Record<string, number> = {};
  for (const { epochDay, revenue } of bought) {
    if (epochDay === firstPurchaseDay) continue;
    for (const [currency, amount] of Object.entries(revenue)) {
      repeatSpend[currency] = (repeatSpend[currency] ?? 0) + amount;
    }
  }
  return {
    firstDay: active[0]?.epochDay ?? null,
    activeDays: text(active),
    purchaseDays: text(bought),
    firstPurchaseDay,
    earlierPurchaseDays: null,
    repeatSpend,
  };
}

function dateOrNull(day: number | null): string | null {
  return day === null ? null : dateOf(day);
}
