import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApiMutation, useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { Page } from '../../parts/Page.js';
import { Loaded } from '../../parts/states.js';
import { EndExperiment } from './EndExperiment.js';
import { useExperimentEditor } from './ExperimentEditor.js';
import { ExperimentReport } from './ExperimentReport.js';

export function ExperimentDetail({ experimentId }: { experimentId: string }) {
  const { studio, game } = useStudioAndGame();
  const { isEditor } = useRole();
  const client = useQueryClient();
  const found = useGet('getExperiment', { params: { game, experimentId } });
  const request = useApiMutation('requestExperimentSums', { onDone: () => void client.invalidateQueries() });
  const { panel, openPanel } = useExperimentEditor(found.data === undefined ? [] : [found.data]);
  const isRunning = found.data?.experiment.state === 'running';
  return (
    <Page
      title={found.data?.experiment.name ?? experimentId}
      question={found.data?.experiment.hypothesis ?? ''}
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => openPanel(experimentId)}>
            {isEditor ? 'Edit' : 'How it is set up'}
          </Button>
          {isEditor && isRunning && (
            <Button
              size="xs"
              variant="default"
              disabled={found.data?.isRequested === true || found.data?.startedAt === null}
              onClick={() => request.mutate({ params: { game, experimentId } })}
            >
              {found.data?.isRequested ? 'A new report comes in minutes' : 'Count again'}
            </Button>
          )}
          {isEditor && isRunning && found.data !== undefined && <EndExperiment shown={found.data} />}
        </>
      }
    >
      <Stack gap="md">
        <Group gap="xs">
          <Link to="/$studio/$game/experiments" params={{ studio, game }} search={{}}>
            All experiments
          </Link>
          {found.data && <Text size="sm">{found.data.experiment.state}</Text>}
        </Group>
        <Loaded query={found} height={320}>
          {({ report, sentence }) =>
            report === null ? (
              <Text size="sm">{sentence}</Text>
            ) : (
              <ExperimentReport experimentId={experimentId} report={report} />
            )
          }
        </Loaded>
      </Stack>
      {panel}
    </Page>
  );
}
