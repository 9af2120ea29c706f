import { Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { formatCount } from '../../lib/format.js';
import { DataTable } from '../../parts/DataTable.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { ExperimentDetail } from './ExperimentDetail.js';
import { Plan } from './Plan.js';

const route = getRouteApi('/$studio/$game/experiments');

/** What experiments have shown: all of them, or one. */
export function Experiments() {
  const { experiment } = route.useSearch();
  return experiment === undefined ? <ExperimentList /> : <ExperimentDetail experimentId={experiment} />;
}

function ExperimentList() {
  const { studio, game } = useStudioAndGame();
  const list = useGet('listExperiments', { params: { game } });
  return (
    <Page
      title="Experiments"
      question="Did it help? Each arm against the control, with intervals that may be looked at every day."
    >
      <Stack gap="md">
        {list.isError && <ProblemNote problem={list.error} onRetry={() => list.refetch()} />}
        <DataTable
          label="Experiments"
          rows={list.data?.experiments}
          rowKey={({ experiment }) => experiment.experimentId}
          empty={
            <EmptyState title="No experiments yet">
              <Text size="sm">
                An experiment gives each player an arm, and rules read it:{' '}
                <span className="mono">experiment("starter_price") == "b"</span>. It is a part of the
                configuration document, <span className="mono">experiments</span>.
              </Text>
            </EmptyState>
          }
          columns={[
            {
              id: 'name',
              header: 'Experiment',
              isFixed: true,
              cell: ({ experiment: { experimentId, name } }) => (
                <Stack gap={0}>
                  <Link
                    to="/$studio/$game/experiments"
                    params={{ studio, game }}
                    search={{ experiment: experimentId }}
                  >
                    {name}
                  </Link>
                  <Text size="xs" c="dimmed" className="mono">
                    {experimentId}
                  </Text>
                </Stack>
              ),
            },
            {
              id: 'state',
              header: 'State',
              cell: ({ experiment }) => experiment.state,
            },
            {
              id: 'players',
              header: 'Players',
              isNumber: true,
              cell: ({ report }) =>
                report === null
                  ? '–'
                  : formatCount(report.arms.reduce((sum, { players }) => sum + players, 0)),
            },
            { id: 'verdict', header: 'Verdict', cell: ({ sentence }) => <Text size="sm">{sentence}</Text> },
          ]}
        />
        <Plan />
      </Stack>
    </Page>
  );
}
