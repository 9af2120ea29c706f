import { NativeSelect, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { SPANS, spanOf, todayUtc } from '../../lib/dashboard.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { MoneyNote, OriginalsSwitch } from '../../parts/Money.js';
import { Page } from '../../parts/Page.js';
import { Loaded } from '../../parts/states.js';
import { Attention } from './Attention.js';
import { Breakdown } from './Breakdown.js';
import { DashboardOrFirstSteps } from './DashboardOrFirstSteps.js';
import { DaysChart } from './DaysChart.js';
import { Figures } from './Figures.js';
import { Holdout } from './Holdout.js';
import { PredictionNotes } from './PredictionNotes.js';
import { Retention } from './Retention.js';

const route = getRouteApi('/$studio/$game/');

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
              <Attention today={to} />
              <Figures today={data.today} days={data.days} />
              <MoneyNote rows={data.days.filter(({ day }) => day >= from)} />
              <DaysChart
                days={data.days.filter(({ day }) => day >= from)}
                versions={data.versions}
                builds={data.builds}
              />
              <Breakdown span={span} />
              <Holdout />
              <Retention today={to} />
              <PredictionNotes />
            </Stack>
          </DashboardOrFirstSteps>
        )}
      </Loaded>
    </Page>
  );
}
