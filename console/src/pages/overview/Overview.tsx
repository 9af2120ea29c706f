import { Card, Group, NativeSelect, SimpleGrid, Stack, Text, Title, Tooltip } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { DataOf, Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useEventRate } from '../../api/use-event-rate.js';
import { useOriginals } from '../../api/use-originals.js';
import {
  daysBefore,
  figureOf,
  MEASURES,
  type Measure,
  SPANS,
  spanOf,
  todayUtc,
} from '../../lib/dashboard.js';
import { formatCount, formatDay, formatRate, formatShare, formatShort } from '../../lib/format.js';
import { currenciesOf, figureIn, moneyText } from '../../lib/money.js';
import { Chart } from '../../parts/Chart.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { MoneyNote, OriginalsSwitch } from '../../parts/Money.js';
import { Page } from '../../parts/Page.js';
import { Loaded } from '../../parts/states.js';
import { Breakdown } from './Breakdown.js';
import { DashboardOrFirstSteps } from './DashboardOrFirstSteps.js';
import { Holdout } from './Holdout.js';
import { Retention } from './Retention.js';

const route = getRouteApi('/$studio/$game/');
type Day = Schemas['DashboardDay'];
type Version = Schemas['PublishedVersion'];

/** New numbers show up without a reload, and the first ones while a person is waiting for them. */
const LOOK_AGAIN_MS = 15_000;
const LOOK_FOR_FIRST_MS = 3_000;

/** For analysts: the numbers of the game, day by day. */
export function Overview() {
  const { game } = useStudioAndGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const to = todayUtc(Date.now());
  const { days, from, askFrom } = spanOf(search.days, to);
  const span = { from, to };
  const isQuiet = (data: DataOf<'getDashboard'>) =>
    data.days.every(({ day, events }) => day < from || events === 0);
  const dashboard = useGet(
    'getDashboard',
    { params: { game }, query: { from: askFrom, to } },
    {
      everyMs: (data) => (data !== undefined && isQuiet(data) ? LOOK_FOR_FIRST_MS : LOOK_AGAIN_MS),
      keepPrevious: true,
    },
  );
  return (
    <Page
      title="Overview"
      question="How are we doing? Days are UTC days."
      actions={
        <>
          <OriginalsSwitch />
          <NativeSelect
            size="xs"
            aria-label="Time range"
            value={days}
            data={SPANS.map((value) => ({ value, label: `last ${value} days` }))}
            onChange={({ currentTarget }) =>
              navigate({ search: (before) => ({ ...before, days: currentTarget.value }) })
            }
          />
          <DownloadButton
            operation="getDashboard"
            request={{ params: { game }, query: { ...span, format: 'csv' } }}
            fileName={`${game}-${from}-${to}.csv`}
            label="CSV"
          />
        </>
      }
    >
      <Loaded query={dashboard} height={420}>
        {(data) => (
          <DashboardOrFirstSteps isQuiet={isQuiet(data)} days={days} refresh={dashboard.refetch}>
            <Stack gap="lg">
              <Figures today={data.today} days={data.days} />
              <MoneyNote rows={data.days.filter(({ day }) => day >= from)} />
              <DaysChart days={data.days.filter(({ day }) => day >= from)} versions={data.versions} />
              <Breakdown span={span} />
              <Holdout />
              <Retention today={to} />
            </Stack>
          </DashboardOrFirstSteps>
        )}
      </Loaded>
    </Page>
  );
}

/** Today, with yesterday and the same weekday before it. Each figure links to its players or events. */
function Figures({ today, days }: { today: Day; days: readonly Day[] }) {
  const { studio, game } = useStudioAndGame();
  const [isOriginal] = useOriginals();
  const byDay = new Map(days.map((day) => [day.day, day]));
  const yesterday = byDay.get(daysBefore(today.day, 1));
  const lastWeek = byDay.get(daysBefore(today.day, 7));
  const show = (day: Day | undefined, measure: Measure) =>
    day === undefined
      ? '–'
      : measure.id === 'revenue'
        ? moneyText(day.revenue, isOriginal ? null : figureIn(day.reported))
        : formatCount(measure.of(day) ?? 0);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      {MEASURES.filter(({ isFigure }) => isFigure).map((measure) => (
        <Tooltip key={measure.id} label={measure.definition} multiline w={260} withArrow>
          <Card
            withBorder
            padding="sm"
            renderRoot={(props) => <Link {...props} to={measure.to} params={{ studio, game }} />}
          >
            <Text size="xs" c="dimmed">
              {measure.name} today
            </Text>
            <Text fw={700} size="lg" className="figures" data-figure={measure.id}>
              {show(today, measure)}
            </Text>
            <Text size="xs" c="dimmed" className="figures">
              yesterday {show(yesterday, measure)}
            </Text>
            <Text size="xs" c="dimmed" className="figures">
              a week ago <span data-figure-last-week={measure.id}>{show(lastWeek, measure)}</span>
            </Text>
            {measure.id === 'activePlayers' && <ActivePlayers today={today} />}
            {measure.id === 'events' && <EventsNow />}
          </Card>
        </Tooltip>
      ))}
    </SimpleGrid>
  );
}

/** Each player counts once. Unknown until maintenance has summed the day for the first time. */
function ActivePlayers({ today }: { today: Day }) {
  const { weeklyActivePlayers: weekly, monthlyActivePlayers: monthly } = today;
  const show = (players: number | null) => (players === null ? '–' : formatCount(players));
  return (
    <Text size="xs" c="dimmed" className="figures">
      7 days <span data-figure="weeklyActivePlayers">{show(weekly)}</span>, 30 days{' '}
      <span data-figure="monthlyActivePlayers">{show(monthly)}</span>
    </Text>
  );
}

/** What arrives now: unknown until the second look. */
function EventsNow() {
  const perSecond = useEventRate();
  return (
    <Group gap={6} wrap="nowrap">
      <span className={perSecond ? 'dot' : 'dot quiet'} aria-hidden="true" />
      <Text size="xs" fw={600} className="figures nowrap">
        <span data-figure="eventsPerSecond">{perSecond === undefined ? '–' : formatRate(perSecond)}</span> a
        second now
      </Text>
    </Group>
  );
}

/** One chart with a switch; publications are marks on its axis. */
function DaysChart({ days, versions }: { days: readonly Day[]; versions: readonly Version[] }) {
  const { show = 'activePlayers', currency } = route.useSearch();
  const navigate = route.useNavigate();
  const measure = MEASURES.find(({ id }) => id === show) ?? MEASURES[0];
  const [isOriginal] = useOriginals();
  const reporting = isOriginal ? undefined : days[0]?.reported?.currency;
  const currencies = reporting === undefined ? currenciesOf(days) : [reporting];
  const chosen = reporting ?? currency ?? currencies[0] ?? 'USD';
  if (measure === undefined) return null;
  const choices = MEASURES.map(({ id, name }) => ({ value: id, label: name }));
  const choose = (next: string) => navigate({ search: (before) => ({ ...before, show: next }) });
  const format = measure.id === 'conversion' ? formatShare : formatShort;
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {measure.name}
          {measure.id === 'revenue' ? `, ${chosen}` : ''}
        </Title>
        <Group gap="xs">
          {measure.id === 'revenue' && currencies.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Currency"
              value={chosen}
              data={currencies}
              onChange={({ currentTarget }) =>
                navigate({ search: (before) => ({ ...before, currency: currentTarget.value }) })
              }
            />
          )}
          <NativeSelect
            size="xs"
            aria-label="What the chart shows"
            value={measure.id}
            data={choices}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        </Group>
      </Group>
      <Chart
        label={measure.name}
        places={days.map(({ day }) => formatDay(day))}
        series={[
          {
            name: measure.name,
            values: days.map((day) => figureOf(day, measure, reporting === undefined ? chosen : null)),
            colour: measure.colour,
            kind: 'bars',
          },
        ]}
        format={format}
        isCount={measure.id !== 'conversion' && measure.id !== 'revenue'}
        marks={versions.flatMap(({ version, publishedAt }) => {
          const place = days.findIndex(({ day }) => publishedAt.startsWith(day));
          return place < 0 ? [] : [{ place, label: `v${version}` }];
        })}
      />
      <Text size="xs" c="dimmed">
        {measure.definition}. Today is not over yet.
      </Text>
    </section>
  );
}
