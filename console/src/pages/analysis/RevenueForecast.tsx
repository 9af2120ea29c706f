import { Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { formatCount, formatDay, formatMoney, formatShare, formatShort } from '../../lib/format.js';
import { Chart } from '../../parts/Chart.js';
import { CurrencySelect } from '../../parts/CurrencySelect.js';
import { MoneyNote } from '../../parts/Money.js';
import { EmptyState, Loaded } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/analysis');
type Forecast = DataOf<'getRevenueForecast'>;

/** The revenue of the next four weeks, and how far to trust it. */
export function RevenueForecast() {
  const { game } = useStudioAndGame();
  const { currency } = route.useSearch();
  const navigate = route.useNavigate();
  const query = currency === undefined ? {} : { currency };
  const forecast = useGet('getRevenueForecast', { params: { game }, query }, { keepPrevious: true });
  return (
    <Loaded query={forecast} height={360}>
      {(data) => (
        <Stack gap="md">
          <Group>
            <CurrencySelect
              currencies={data.currencies}
              reportingCurrency={data.reportingCurrency ?? undefined}
              shown={data.currency === null ? null : { currency: data.currency, isReported: data.isReported }}
              onChange={(next) => navigate({ search: (before) => ({ ...before, currency: next }) })}
            />
          </Group>
          <MoneyNote rows={[moneyOf(data)]} />
          {data.state === 'forecast' && data.currency !== null ? (
            <Days forecast={data} currency={data.currency} />
          ) : (
            <TooLittle forecast={data} />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** What the note about missing rates goes by. */
function moneyOf({ currencies, reportingCurrency, missing }: Forecast) {
  const revenue = Object.fromEntries(currencies.map((currency) => [currency, 0]));
  return { revenue, reported: reportingCurrency === null ? null : { missing } };
}

function Days({ forecast, currency }: { forecast: Forecast; currency: string }) {
  const { history, days, total, nominalCoverage, pastIntervals, pastCovered } = forecast;
  const behind = history.map(() => null);
  const ahead = days.map(() => null);
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {total === null
          ? `The next 28 days, in ${currency}`
          : `The next 28 days: ${formatMoney(total.expected, currency)}, probably ${formatMoney(total.low, currency)} to ${formatMoney(total.high, currency)}`}
      </Title>
      <Chart
        label={`Revenue and forecast, ${currency}`}
        places={[...history, ...days].map(({ day }) => formatDay(day))}
        series={[
          {
            name: 'Revenue',
            values: [...history.map(({ revenue }) => revenue), ...ahead],
            colour: 3,
            kind: 'bars',
          },
          { name: 'Expected', values: [...behind, ...days.map(({ expected }) => expected)], colour: 0 },
          { name: 'Low', values: [...behind, ...days.map(({ low }) => low)], colour: 4 },
          { name: 'High', values: [...behind, ...days.map(({ high }) => high)], colour: 1 },
        ]}
        format={formatShort}
        height={280}
      />
      <Text size="sm">
        {formatShare(nominalCoverage)} of the days should lie between low and high.{' '}
        {pastIntervals === 0
          ? 'How often that came true is known when the game is older.'
          : `In the last 13 weeks it came true for ${formatShare(pastCovered / pastIntervals)} of ${formatCount(pastIntervals)} forecasts of a day.`}
      </Text>
      <Text size="xs" c="dimmed">
        Expected is the level of the last eight weeks, in which a day a week ago counts half, times the factor
        of the weekday. Low and high come from what the same method was off by in the past. It knows nothing
        of coming offers, updates or holidays.
      </Text>
    </section>
  );
}

function TooLittle({ forecast }: { forecast: Forecast }) {
  const { currency, daysKnown, daysNeeded, revenueDaysKnown, revenueDaysNeeded } = forecast;
  return (
    <EmptyState title="Too little data for a forecast">
      <Text size="sm">
        {currency === null
          ? 'The game had no revenue in the last year.'
          : daysKnown < daysNeeded
            ? `${formatCount(daysKnown)} of ${formatCount(daysNeeded)} days since the first revenue in ${currency}.`
            : `${formatCount(revenueDaysKnown ?? 0)} of the last 56 days had revenue in ${currency}; ${formatCount(revenueDaysNeeded)} are needed.`}{' '}
        With fewer, any number would be a guess.
      </Text>
    </EmptyState>
  );
}
