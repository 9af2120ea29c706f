import { amountsText } from '../../studio/cli/money-text.js';
import { tableLines } from '../../studio/cli/table.js';
import type { forecastResponse } from '../analytics/forecast/forecast-response.js';

type Shown = ReturnType<typeof forecastResponse>;

/** What is expected of each day, and how often the method was right. */
export function forecastLines(forecast: Shown): string[] {
  const { currency, state, days, total, nominalCoverage, pastIntervals, pastCovered } = forecast;
  if (state === 'too_little_data' || currency === null)
    return [tooLittle(forecast), ...withoutLines(forecast)];
  const amount = (value: number) => value.toFixed(2);
  const rows = [...days, ...(total === null ? [] : [{ day: '28 days', ...total }])].map(
    ({ day, expected, low, high }) => [day, ...[expected, low, high].map(amount)],
  );
  const share = (part: number) => `${Math.round(100 * part)}%`;
  return [
    ...tableLines([['day', `expected ${currency}`, 'low', 'high'], ...rows], (column) => column > 0),
    '',
    `The interval is meant to hold on ${share(nominalCoverage)} of the days.`,
    pastIntervals === 0
      ? 'How often past intervals held is known later.'
      : `Past intervals held on ${share(pastCovered / pastIntervals)} of ${pastIntervals} days.`,
    ...withoutLines(forecast),
  ];
}

/** What the forecast leaves out. */
function withoutLines({ missing, isReported, currency, currencies }: Shown): string[] {
  const without = amountsText(missing);
  if (without !== '') return [`Without ${without}: no rate.`];
  return isReported || currencies.length < 2 ? [] : [`Payments in ${currency} only.`];
}

function tooLittle(forecast: Shown): string {
  const { currency, daysKnown, daysNeeded, revenueDaysKnown, revenueDaysNeeded } = forecast;
  if (currency === null) return 'No forecast: the game had no revenue in the last year.';
  return daysKnown < daysNeeded
    ? `No forecast yet: ${daysKnown} of ${daysNeeded} days since the first revenue in ${currency}.`
    : `No forecast: ${revenueDaysKnown} of the last 56 days had revenue in ${currency}, ${revenueDaysNeeded} are needed.`;
}
