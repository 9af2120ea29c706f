import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { RequestOf } from '../../api/client.js';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { countOf, formatDay, formatShare } from '../../lib/format.js';
import { type Grade, MODELS, metricsOf } from '../../lib/grades.js';
import { Chart } from '../../parts/Chart.js';
import { moreOf } from '../../parts/DataTable.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { ColdStart } from './ColdStart.js';
import { Scores } from './Scores.js';
import { Trainings } from './Trainings.js';
import { TrainNow } from './TrainNow.js';

const route = getRouteApi('/$studio/$game/predictions');
const PAGE = 30;
/** About three months: a day has one grade of a model, or two where another one took its place. */
const GRADES_PER_PAGE = 100;
/** As far back as grades go. */
const ALL_DAYS = 3_660;
type GradedModel = NonNullable<NonNullable<RequestOf<'listPredictionGrades'>['query']>['model']>;

/** Compares what was predicted with what happened, week by week. */
export function Predictions() {
  const { game } = useStudioAndGame();
  const { model: asked } = route.useSearch();
  const model = asked !== undefined && asked in MODELS ? asked : 'activity';
  const navigate = route.useNavigate();
  const grades = usePages('listPredictionGrades', {
    params: { game },
    query: { model: model as GradedModel, days: ALL_DAYS, limit: GRADES_PER_PAGE },
  });
  const trainings = usePages(
    'listModels',
    { params: { game }, query: { limit: PAGE } },
    {
      parameter: 'before',
      next: ({ models }) => (models.length < PAGE ? null : String(models.at(-1)?.version)),
    },
  );
  return (
    <Page
      title="Predictions"
      question={MODELS[model]?.question ?? ''}
      actions={
        <NativeSelect
          size="xs"
          aria-label="Model"
          value={model}
          data={Object.entries(MODELS).map(([value, { name }]) => ({ value, label: name }))}
          onChange={({ currentTarget }) => navigate({ search: { model: currentTarget.value } })}
        />
      }
    >
      <Loaded query={trainings} height={120}>
        {({ pages: [first, ...older] }) => (
          <Stack gap="lg">
            <TrainNow lastFailure={first?.lastFailure ?? null} />
            <ColdStart newest={first?.models[0]} model={model} inForce={first?.inForce ?? null} />
            <Loaded query={grades} height={300}>
              {({ pages }) => (
                <Stack gap="lg">
                  <Quality grades={pages.flatMap((page) => page.grades)} />
                  {grades.hasNextPage && (
                    <Group>
                      <Button
                        size="xs"
                        variant="default"
                        loading={grades.isFetchingNextPage}
                        onClick={() => grades.fetchNextPage()}
                      >
                        Show older weeks
                      </Button>
                    </Group>
                  )}
                </Stack>
              )}
            </Loaded>
            <Scores model={model} />
            <Trainings
              models={[...(first?.models ?? []), ...older.flatMap(({ models }) => models)]}
              inForce={first?.inForce ?? null}
              more={moreOf(trainings)}
            />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Quality({ grades }: { grades: readonly Grade[] }) {
  const { day } = route.useSearch();
  const navigate = route.useNavigate();
  // Where a day has two models, the one that was in force comes first.
  const days = [...new Map([...grades].reverse().map((grade) => [grade.day, grade])).values()];
  const shown = grades.find((grade) => grade.day === day) ?? days.at(-1);
  if (shown === undefined) {
    return (
      <EmptyState title="No week has been graded yet">
        <Text size="sm">
          A week after the first predictions, what was said is compared with what happened. The grade then
          appears here.
        </Text>
      </EmptyState>
    );
  }
  const { deciles, players } = metricsOf(shown);
  return (
    <>
      <section>
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4">
            Predicted and observed, week to {formatDay(shown.day)}
          </Title>
          <NativeSelect
            size="xs"
            aria-label="Graded week"
            value={shown.day}
            data={days
              .map((grade) => ({ value: grade.day, label: `week to ${formatDay(grade.day)}` }))
              .reverse()}
            onChange={({ currentTarget }) =>
              navigate({ search: (before) => ({ ...before, day: currentTarget.value }) })
            }
          />
        </Group>
        <Chart
          label="Reliability diagram"
          places={deciles.map(({ predicted }) => formatShare(predicted))}
          positions={deciles.map(({ predicted }) => predicted)}
          series={[
            { name: 'happened', values: deciles.map(({ observed }) => observed), kind: 'dots', colour: 0 },
          ]}
          format={formatShare}
          top={1}
          hasDiagonal
          height={300}
        />
        <Text size="xs" c="dimmed">
          Each dot is a tenth of {players === null ? 'the players' : countOf(Math.round(players), 'player')},
          by what was predicted (to the right) and what happened (upwards). On the dashed line the prediction
          was exact. Health: {shown.health}.
        </Text>
      </section>
      <section>
        <Title order={2} size="h4" mb="xs">
          Error over time
        </Title>
        <Chart
          label="Mean distance between predicted and observed"
          places={days.map((grade) => formatDay(grade.day))}
          series={[{ name: 'mean error', values: days.map((grade) => metricsOf(grade).ece), colour: 5 }]}
          format={formatShare}
        />
        <Text size="xs" c="dimmed">
          The mean distance between the predicted and the observed share over tenths of the players. Below 5%
          the model is trusted.
        </Text>
      </section>
    </>
  );
}
