import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { formerInWords } from '../../lib/experiment.js';
import { Page } from '../../parts/Page.js';
import { Loaded } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';
import { EndExperiment } from './EndExperiment.js';
import { useExperimentEditor } from './ExperimentEditor.js';
import { ExperimentOutline } from './ExperimentOutline.js';
import { ExperimentReport } from './ExperimentReport.js';

/** One experiment. With a seed: the run with that seed, which may not be in the published version any more. */
export function ExperimentDetail({ experimentId, seed }: { experimentId: string; seed: string | undefined }) {
  const { studio, game } = useStudioAndGame();
  const { isEditor } = useRole();
  const client = useQueryClient();
  const found = useGet('getExperiment', {
    params: { game, experimentId },
    query: seed === undefined ? {} : { seed },
  });
  const request = useApiMutation('requestExperimentSums', { onDone: () => void client.invalidateQueries() });
  const { panel, openPanel } = useExperimentEditor(found.data === undefined ? [] : [found.data]);
  const isFormer = found.data?.isFormer === true;
  const isRunning = !isFormer && found.data?.experiment.state === 'running';
  // What is asked for before the first report would come with it.
  const isUncounted = found.data?.report === null;
  return (
    <Page
      title={found.data?.experiment.name ?? experimentId}
      question={found.data?.experiment.hypothesis ?? ''}
      actions={
        <>
          {!isFormer && (
            <Button size="xs" variant="default" onClick={() => openPanel(experimentId)}>
              {isEditor ? 'Edit' : 'How it is set up'}
            </Button>
          )}
          {isEditor && isRunning && (
            <Group gap="xs">
              {isUncounted && (
                <Text size="xs" c="dimmed">
                  Nothing is counted before the first report
                </Text>
              )}
              <Button
                size="xs"
                variant="default"
                disabled={found.data?.isRequested === true || isUncounted}
                onClick={() => request.mutate({ params: { game, experimentId } })}
              >
                {found.data?.isRequested ? 'A new report comes in minutes' : 'Count again'}
              </Button>
            </Group>
          )}
          {isEditor && isRunning && found.data !== undefined && <EndExperiment shown={found.data} />}
        </>
      }
    >
      <Stack gap="md">
        <Group gap="xs">
          <Text size="sm">
            <Link to="/$studio/$game/experiments" params={{ studio, game }} search={{}}>
              All experiments
            </Link>
          </Text>
          {found.data && <Text size="sm">{stateOf(found.data)}</Text>}
        </Group>
        <Loaded query={found} height={320}>
          {(shown) => (
            <>
              {isFormer && (
                <Text size="sm" c="dimmed" mb="xs">
                  {formerInWords(shown)} This is its last report.
                </Text>
              )}
              {!isRunning && <Ending shown={shown} />}
              {shown.report === null ? (
                <Stack gap="md">
                  <Text size="sm">{shown.sentence}</Text>
                  <ExperimentOutline shown={shown} />
                </Stack>
              ) : (
                <ExperimentReport
                  {...{ experimentId, isFormer, isRunning }}
                  report={shown.report}
                  segments={shown.segments}
                />
              )}
            </>
          )}
        </Loaded>
      </Stack>
      {panel}
    </Page>
  );
}

function stateOf({ isFormer, experiment: { state, variants, winner } }: DataOf<'getExperiment'>): string {
  if (isFormer && state === 'running') return 'ended without a decision';
  if (winner === undefined) return state;
  return `${state}: ${variants.find(({ variantId }) => variantId === winner)?.name ?? winner} for all`;
}

/** Who ended it, when, and why. */
function Ending({ shown: { ending, endedAt } }: { shown: DataOf<'getExperiment'> }) {
  if (endedAt === null) return null;
  return (
    <Text size="sm" mb="xs">
      Ended <Moment at={endedAt} isExact />
      {ending !== null && (
        <>
          {' '}
          with version {ending.version} by <Person name={ending.author} email={ending.authorEmail} />
          {ending.note === '' ? ', without a note' : `: “${ending.note}”`}
        </>
      )}
    </Text>
  );
}
