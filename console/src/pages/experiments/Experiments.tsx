import { Button, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { freeId, problemsUnder } from '../../lib/document.js';
import { playersOf } from '../../lib/experiment.js';
import { listedExperiments, newExperiment } from '../../lib/experiment-form.js';
import { DataTable } from '../../parts/DataTable.js';
import { Icon } from '../../parts/Icon.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { ExperimentDetail } from './ExperimentDetail.js';
import { useExperimentEditor } from './ExperimentEditor.js';
import { FormerExperiments } from './FormerExperiments.js';
import { Grades } from './Grades.js';
import { OfferHoldouts } from './OfferHoldouts.js';
import { Plan } from './Plan.js';

const route = getRouteApi('/$studio/$game/experiments');

/** What experiments have shown: all of them, or one. */
export function Experiments() {
  const { experiment, seed } = route.useSearch();
  return experiment === undefined ? (
    <ExperimentList />
  ) : (
    <ExperimentDetail experimentId={experiment} seed={seed} />
  );
}

function ExperimentList() {
  const { studio, game } = useStudioAndGame();
  const { isEditor } = useRole();
  const { problems } = useDraft();
  const list = useGet('listExperiments', { params: { game } });
  const published = list.data?.experiments ?? [];
  const { entries, add, panel, openPanel } = useExperimentEditor(published);
  const rows =
    list.data === undefined || entries === undefined ? undefined : listedExperiments(published, entries);
  return (
    <Page
      title="Experiments"
      question="Did it help? Each arm against the control, with intervals that may be looked at every day."
      actions={
        isEditor && (
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            // Until the draft is there, nothing can be added to it.
            disabled={entries === undefined}
            onClick={() =>
              add(newExperiment(freeId('new_experiment', entries?.map((each) => each.experimentId) ?? [])))
            }
          >
            Add experiment
          </Button>
        )
      }
    >
      <Stack gap="md">
        {list.isError && <ProblemNote problem={list.error} onRetry={() => list.refetch()} />}
        <DataTable
          label="Experiments"
          rows={rows}
          rowKey={({ experimentId }) => experimentId}
          empty={
            <EmptyState title="No experiments yet">
              <Text size="sm">
                An experiment gives each player an arm, and rules read it:{' '}
                <span className="mono">experiment("starter_price") == "b"</span>. So flags, segments, values,
                offers and prices can all be tried on some of the players.
              </Text>
            </EmptyState>
          }
          columns={[
            {
              id: 'name',
              header: 'Experiment',
              isFixed: true,
              cell: ({ experimentId, name, shown }) => (
                <Stack gap={0} miw={130}>
                  {shown === undefined ? (
                    <Text size="sm">{name}</Text>
                  ) : (
                    <Link
                      to="/$studio/$game/experiments"
                      params={{ studio, game }}
                      search={{ experiment: experimentId }}
                    >
                      {name}
                    </Link>
                  )}
                  <Text size="xs" c="dimmed" className="mono">
                    {experimentId}
                  </Text>
                  {problemsUnder(
                    problems,
                    `/experiments/${entries?.findIndex((each) => each.experimentId === experimentId)}`,
                  ).map(({ pointer, message }) => (
                    <Text key={`${pointer} ${message}`} size="xs" c="red" role="alert">
                      {message}
                    </Text>
                  ))}
                </Stack>
              ),
            },
            { id: 'state', header: 'State', cell: ({ state }) => state },
            {
              id: 'players',
              header: 'Players',
              isNumber: true,
              cell: ({ shown }) => playersOf(shown?.report ?? null),
            },
            {
              id: 'verdict',
              header: 'Verdict',
              cell: ({ shown }) => (
                <Text size="sm">{shown?.sentence ?? 'In the draft only: not published yet.'}</Text>
              ),
            },
            {
              id: 'edit',
              header: '',
              cell: ({ experimentId, name, isInDraft }) =>
                isInDraft && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`${isEditor ? 'Edit' : 'Show'} ${name}`}
                    onClick={() => openPanel(experimentId)}
                  >
                    {isEditor ? 'Edit' : 'Show'}
                  </Button>
                ),
            },
          ]}
        />
        <OfferHoldouts />
        <FormerExperiments />
        <Plan
          title="What can this game measure?"
          note="With two arms of equal size, from what players of the last eight weeks did."
        />
        <Grades />
      </Stack>
      {panel}
    </Page>
  );
}
