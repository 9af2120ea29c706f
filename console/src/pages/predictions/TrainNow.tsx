import { Alert, Button, Group } from '@mantine/core';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useNewestJob } from '../../api/use-newest-job.js';
import { formatInstant } from '../../lib/format.js';
import { outcomeOf } from '../../lib/jobs.js';
import { JobEnd, JobProgress } from '../../parts/JobProgress.js';
import { ProblemNote } from '../../parts/states.js';

/** Models are trained every night. This button trains them now; a training goes on when the page is left. */
export function TrainNow({ lastFailure }: { lastFailure: DataOf<'listModels'>['lastFailure'] }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const { job, look } = useNewestJob('training', () => refresh('listModels'));
  const train = useApiMutation('trainModels', { onDone: look });
  const isRunning = job?.state === 'running';
  return (
    <>
      {lastFailure !== null && (
        <Alert
          color="red"
          variant="light"
          title={`The last training or grading failed, ${formatInstant(lastFailure.at)}`}
        >
          {lastFailure.message}
        </Alert>
      )}
      {isRunning && <JobProgress job={job} doing="Training now" />}
      <Group gap="sm">
        {isEditor && !isRunning && (
          <Button
            size="xs"
            variant="default"
            loading={train.isPending}
            onClick={() => train.mutate({ params: { game }, query: { background: 'true' } })}
          >
            Train now
          </Button>
        )}
        {job !== undefined && <JobEnd job={job} outcome={outcomeOf(job)} />}
      </Group>
      <ProblemNote problem={train.error} />
    </>
  );
}
