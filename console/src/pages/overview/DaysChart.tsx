import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { DataOf, Schemas } from '../../api/client.js';
import { useOriginals } from '../../api/use-originals.js';
import { figureOf, MEASURES } from '../../lib/dashboard.js';
import { formatDay, formatShare, formatShort } from '../../lib/format.js';
import { buildMarks, versionMarks } from '../../lib/marks.js';
import { currenciesOf } from '../../lib/money.js';
import { Chart } from '../../parts/Chart.js';

const route = getRouteApi('/$studio/$game/');

type Props = Pick<DataOf<'getDashboard'>, 'versions' | 'builds'> & {
  days: readonly Schemas['DashboardDay'][];
};

/** One chart with a switch; publications and new builds are marks on its axis. */
export function DaysChart({ days, versions, builds }: Props) {
  const { show = 'activePlayers', currency } = route.useSearch();
  const navigate = route.useNavigate();
  const [isOriginal] = useOriginals();
  const measure = MEASURES.find(({ id }) => id === show) ?? MEASURES[0];
  if (measure === undefined) return null;
  const reporting = isOriginal ? undefined : days[0]?.reported?.currency;
  const currencies = reporting === undefined ? currenciesOf(days) : [reporting];
  const chosen = reporting ?? currency ?? currencies[0] ?? '';
  const choices = MEASURES.map(({ id, name }) => ({ value: id, label: name }));
  const names = days.map(({ day }) => day);
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {measure.name}
          {measure.id === 'revenue' && chosen !== '' ? `, ${chosen}` : ''}
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
            onChange={({ currentTarget }) =>
              navigate({ search: (before) => ({ ...before, show: currentTarget.value }) })
            }
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
        format={measure.id === 'conversion' ? formatShare : formatShort}
        isCount={measure.id !== 'conversion' && measure.id !== 'revenue'}
        marks={[...versionMarks(versions, names), ...buildMarks(builds, names)]}
      />
      <Text size="xs" c="dimmed">
        {measure.definition}. Today is not over yet.
        {versions.length > 0 && ' Dashed orange lines are publications of the store.'}
        {builds.length > 0 && ' Green lines are the first days of builds.'}
      </Text>
    </section>
  );
}
