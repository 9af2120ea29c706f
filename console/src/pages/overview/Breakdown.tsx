import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { barOf, DIMENSIONS, dimensionOf, nameOf, retainedOf, type Value } from '../../lib/breakdown.js';
import { countOf, formatCount, formatRate, formatRelative, formatShare } from '../../lib/format.js';
import { figureIn } from '../../lib/money.js';
import { type Column, DataTable } from '../../parts/DataTable.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Money } from '../../parts/Money.js';
import { SummingNote } from '../../parts/SummingNote.js';
import { Loaded } from '../../parts/states.js';
import { SERIES } from '../../theme.js';

const route = getRouteApi('/$studio/$game/');
const LOOK_AGAIN_MS = 60_000;

/** Which countries, platforms, builds, SKUs and promotions the numbers come from. */
export function Breakdown({ span }: { span: { from: string; to: string } }) {
  const { game } = useStudioAndGame();
  const dimension = dimensionOf(route.useSearch().by);
  const navigate = route.useNavigate();
  const query = { by: dimension.value, ...span };
  const breakdown = useGet(
    'getBreakdown',
    { params: { game }, query },
    { everyMs: LOOK_AGAIN_MS, keepPrevious: true },
  );
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          By {dimension.label === 'SKU' ? 'SKU' : dimension.label.toLowerCase()}
        </Title>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Broken down by"
            value={dimension.value}
            data={DIMENSIONS.map(({ value, label }) => ({ value, label }))}
            onChange={({ currentTarget }) =>
              navigate({ search: (before) => ({ ...before, by: currentTarget.value }) })
            }
          />
          <DownloadButton
            operation="getBreakdown"
            request={{ params: { game }, query: { ...query, format: 'csv', table: 'days' } }}
            fileName={`${game}-${dimension.value}-${span.from}-${span.to}.csv`}
            label="CSV"
          />
        </Group>
      </Group>
      <Loaded query={breakdown} height={180}>
        {({ by, values, daysSummed, summedAt, summing }) => (
          <>
            <SummingNote summing={summing} />
            <DataTable
              label={`Numbers by ${by}`}
              rows={values}
              rowKey={({ kind, value }) => `${kind} ${value}`}
              columns={columnsOf(values, dimensionOf(by), daysSummed)}
              empty={
                <Text size="sm" c="dimmed">
                  {by === 'sku' || by === 'promotion'
                    ? 'No purchase has been summed in this time.'
                    : 'Nothing has been summed yet. The service does so a few minutes after the first events.'}
                </Text>
              }
            />
            <Text size="xs" c="dimmed">
              The 50 largest
              {daysSummed === 0 ? '' : `, ${countOf(daysSummed, 'day')}`}
              {summedAt === null ? '' : `, summed ${formatRelative(Date.parse(summedAt), Date.now())}`}.
              Active players, payers and daily conversion are those of an average day. Country, platform and
              build are what was known of a player at the end of each day, and retention goes by the first
              day.
            </Text>
          </>
        )}
      </Loaded>
    </section>
  );
}

function columnsOf(
  values: readonly Value[],
  dimension: ReturnType<typeof dimensionOf>,
  days: number,
): Column<Value>[] {
  const ofPurchases = dimension.value === 'sku' || dimension.value === 'promotion';
  // Less than one a day must not look like none.
  const aDay = (count: number) => formatRate(count / Math.max(1, days));
  const retained = (after: '1' | '7') => ({
    id: `d${after}`,
    header: `Day ${after}`,
    isNumber: true,
    cell: (value: Value) => {
      const share = retainedOf(value, after);
      return share === null ? '·' : formatShare(share);
    },
  });
  const ofPlayers: Column<Value>[] = [
    {
      id: 'active',
      header: 'Active a day',
      isNumber: true,
      cell: (value) => aDay(value.activePlayerDays ?? 0),
    },
    { id: 'new', header: 'New', isNumber: true, cell: (value) => formatCount(value.newPlayers ?? 0) },
    retained('1'),
    retained('7'),
  ];
  return [
    {
      id: 'value',
      header: dimension.label,
      cell: (value) => (
        <div
          // Blue over the page's own colour: readable in light and dark.
          style={{
            background: `linear-gradient(90deg, ${SERIES[0]}33 ${barOf(value, values) * 100}%, transparent 0)`,
          }}
        >
          {nameOf(value, dimension)}
        </div>
      ),
    },
    ...(ofPurchases ? [] : ofPlayers),
    { id: 'payers', header: 'Payers a day', isNumber: true, cell: (value) => aDay(value.payingPlayerDays) },
    {
      id: 'conversion',
      header: 'Daily conversion',
      isNumber: true,
      cell: ({ dailyConversion }) => (dailyConversion === null ? '–' : formatShare(dailyConversion)),
    },
    {
      id: 'revenue',
      header: 'Revenue',
      isNumber: true,
      cell: ({ revenue, reported }) => <Money paid={revenue} reported={figureIn(reported)} />,
    },
    {
      id: 'perPayer',
      header: 'Per payer and day',
      isNumber: true,
      cell: ({ revenuePerPayingPlayer, reported }) => (
        <Money
          paid={revenuePerPayingPlayer}
          reported={figureIn(reported, 'revenuePerPayingPlayer')}
          isShort
        />
      ),
    },
  ];
}
