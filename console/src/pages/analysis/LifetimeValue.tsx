import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { todayUtc } from '../../lib/dashboard.js';
import { readSpan } from '../../lib/day-span.js';
import { formatAxisAmount, formatCount, formatDay, formatMoney, formatRelative } from '../../lib/format.js';
import {
  AGES,
  type Curve,
  currenciesOf,
  drawnCurves,
  moneyOf,
  nameOfCurve,
  type ShownMoney,
  shownMoney,
  worthAt,
} from '../../lib/install-curves.js';
import { Chart } from '../../parts/Chart.js';
import { CurrencySelect } from '../../parts/CurrencySelect.js';
import { type Column, DataTable } from '../../parts/DataTable.js';
import { DaySpanPicker } from '../../parts/DaySpanPicker.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { MoneyNote } from '../../parts/Money.js';
import { SummingNote } from '../../parts/SummingNote.js';
import { EmptyState, Loaded } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/analysis');
const LOOK_AGAIN_MS = 60_000;
const CHOICES = ['30', '90', '180', '365'];
const BY = [
  { value: 'cohort', label: 'start' },
  { value: 'country', label: 'country' },
  { value: 'source', label: 'source' },
] as const;
const NAMES = { cohort: 'Start', country: 'Country', source: 'Source' } as const;
const PERIODS = [
  { value: 'week', label: 'weeks' },
  { value: 'month', label: 'months' },
] as const;

/** Revenue per install, by days since the start. */
export function LifetimeValue() {
  const { game } = useStudioAndGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const today = todayUtc(Date.now());
  const span = readSpan(search, today, { choices: CHOICES, fallback: '90' });
  const by = BY.find(({ value }) => value === search.by)?.value ?? 'cohort';
  const period = PERIODS.find(({ value }) => value === search.period)?.value ?? 'week';
  const query = { by, period, from: span.from, to: span.to };
  const change = (next: Partial<typeof search>) => navigate({ search: (before) => ({ ...before, ...next }) });
  const loaded = useGet(
    'getRevenuePerInstall',
    { params: { game }, query },
    { everyMs: LOOK_AGAIN_MS, keepPrevious: true },
  );
  const loadedCurves = loaded.data?.curves ?? [];
  const money = shownMoney(loadedCurves, search.currency);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="A curve for each"
            value={by}
            data={BY.map(({ value, label }) => ({ value, label: `by ${label}` }))}
            onChange={({ currentTarget }) => change({ by: currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            aria-label="Cohorts are"
            value={period}
            data={PERIODS.map(({ value, label }) => ({ value, label: `in ${label}` }))}
            onChange={({ currentTarget }) => change({ period: currentTarget.value })}
          />
          <CurrencySelect
            currencies={currenciesOf(loadedCurves)}
            reportingCurrency={loadedCurves.find(({ reported }) => reported !== null)?.reported?.currency}
            shown={money}
            onChange={(currency) => change({ currency })}
          />
        </Group>
        <Group gap="xs">
          <DaySpanPicker span={span} choices={CHOICES} today={today} onChange={change} />
          <DownloadButton
            operation="getRevenuePerInstall"
            request={{ params: { game }, query: { ...query, format: 'csv' } }}
            fileName={`${game}-revenue-per-install-${span.from}-${span.to}.csv`}
            label="CSV"
          />
        </Group>
      </Group>
      <Loaded query={loaded} height={360}>
        {({ curves, summedAt, summing, throughDay }) => (
          <>
            <SummingNote summing={summing} />
            {curves.length === 0 || money === null ? (
              <Nothing isSummed={summedAt !== null} hasPlayers={curves.length > 0} />
            ) : (
              <>
                <MoneyNote rows={moneyOf(curves)} />
                <Curves curves={curves} money={money} name={NAMES[by]} />
                <Text size="xs" c="dimmed">
                  Revenue per install up to each day after the start, refunds taken off
                  {throughDay === null ? '' : `; days up to ${formatDay(throughDay)}`}
                  {summedAt === null ? '' : `, summed ${formatRelative(Date.parse(summedAt), Date.now())}`}. A
                  point is there once all players of a week or month are that old. Country is that of the
                  first day, source is the first <code>metadata.source</code> of a player.
                </Text>
              </>
            )}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Curves({
  curves,
  money,
  name,
}: {
  curves: readonly Curve[];
  money: ShownMoney;
  /** What tells the curves apart. */
  name: string;
}) {
  const drawn = drawnCurves(curves);
  const length = Math.max(...drawn.map(({ playersAt }) => playersAt.length));
  const ages = Array.from({ length }, (_, age) => age);
  const columns: Column<Curve>[] = [
    { id: 'name', header: name, cell: nameOfCurve },
    { id: 'players', header: 'Players', isNumber: true, cell: ({ players }) => formatCount(players) },
    ...AGES.map((age) => ({
      id: `d${age}`,
      header: `D${age}`,
      isNumber: true,
      cell: (curve: Curve) => {
        const worth = worthAt(curve, money, age);
        return worth === null ? '·' : formatMoney(worth, money.currency);
      },
    })),
  ];
  return (
    <>
      <Title order={2} size="h4">
        {money.currency} per install, by days since the start
      </Title>
      <Chart
        label={`${money.currency} per install by days since the start`}
        places={ages.map((age) => `day ${age}`)}
        series={drawn.map((curve, colour) => ({
          name: nameOfCurve(curve),
          values: ages.map((age) => worthAt(curve, money, age)),
          colour,
        }))}
        format={formatAxisAmount}
        height={280}
      />
      <DataTable
        label="Revenue per install"
        rows={[...curves]}
        rowKey={({ cohort, kind, value }) => `${cohort} ${kind} ${value}`}
        columns={columns}
        empty={null}
      />
    </>
  );
}

function Nothing({ isSummed, hasPlayers }: { isSummed: boolean; hasPlayers: boolean }) {
  return (
    <EmptyState title={hasPlayers ? 'Nobody has paid yet' : 'No curve yet'}>
      <Text size="sm">
        {hasPlayers
          ? 'None of the players who started in this time has paid anything on a day that is over.'
          : isSummed
            ? 'No player started in this time on a day that is over.'
            : 'The service sums the curves a few minutes after the first events, from days that are over.'}
      </Text>
      <Text size="sm">
        To see where players come from, send <code>source</code> in the metadata of the first events, such as{' '}
        <code>{'{"source": "spring-campaign"}'}</code>.
      </Text>
    </EmptyState>
  );
}
