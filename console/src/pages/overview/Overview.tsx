import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { SPANS, todayUtc } from '../../lib/dashboard.js';
import { askedDays, readSpan } from '../../lib/day-span.js';
import { DaySpanPicker } from '../../parts/DaySpanPicker.js';
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
import { RevenueByProof } from './RevenueByProof.js';

const route = getRouteApi('/$studio/$game/');

/** New numbers show up without a reload, and the first ones while a person is waiting for them. */
const LOOK_AGAIN_MS = 15_000;
const LOOK_FOR_FIRST_MS = 3_000;

/** For analysts: the numbers of the game, day by day. */
export function Overview() {
  const { game } = useStudioAndGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const today = todayUtc(Date.now());
  const chosen = readSpan(search, today, { choices: SPANS, fallback: '30' });
  const { from, to } = chosen;
  const span = { from, to };
  const isShown = ({ day }: { day: string }) => day >= from && day <= to;
  const isQuiet = (data: DataOf<'getDashboard'>) =>
    data.days.every((day) => !isShown(day) || day.events === 0);
  const dashboard = useGet(
    'getDashboard',
    { params: { game }, query: askedDays(chosen, today) },
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
          <DaySpanPicker
            span={chosen}
            choices={SPANS}
            today={today}
            onChange={(next) => navigate({ search: (before) => ({ ...before, ...next }) })}
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
          <DashboardOrFirstSteps isQuiet={isQuiet(data)} span={chosen} refresh={dashboard.refetch}>
            <Stack gap="lg">
              <Attention today={today} />
              <Figures today={data.today} days={data.days} />
              <MoneyNote rows={data.days.filter(isShown)} />
              <DaysChart days={data.days.filter(isShown)} versions={data.versions} builds={data.builds} />
              <RevenueByProof days={data.days.filter(isShown)} />
              <Breakdown span={span} />
              <Holdout />
              <Retention today={today} {...(chosen.days === null && { span })} />
              <PredictionNotes />
            </Stack>
          </DashboardOrFirstSteps>
        )}
      </Loaded>
    </Page>
  );
}
