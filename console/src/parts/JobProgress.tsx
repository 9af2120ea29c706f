import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useApiMutation, useRefresh, useStudioAndGame } from '../api/hooks.js';
import { useMe, useRole } from '../api/session.js';
import { formatClock } from '../lib/format.js';
import { type Job, progressOf } from '../lib/jobs.js';
import { ProblemNote } from './states.js';
import { Moment, Person } from './texts.js';

/** A job that runs: since when, who started it, how far it is. It goes on when the page is left. */
export function JobProgress({ job, doing }: { job: Job; doing: string }) {
  const { total, done, createdAt, createdBy, createdByEmail } = job;
  return (
    <Stack gap={4} maw={640} role="status" aria-label={doing}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {doing}, since <time dateTime={createdAt}>{formatClock(createdAt)}</time>, started by{' '}
          <Person name={createdBy} email={createdByEmail} />. {progressOf(job)}
        </Text>
        <CancelJob job={job} />
      </Group>
      <Progress
        value={total === null ? 0 : (100 * done) / Math.max(1, total)}
        aria-label={`Progress: ${doing}`}
        animated
      />
      <Text size="xs" c="dimmed">
        You can leave this page: the work goes on, and is found here again.
      </Text>
    </Stack>
  );
}

export function CancelJob({ job: { jobId, createdByEmail } }: { job: Job }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const { data: me } = useMe();
  const refresh = useRefresh();
  const cancel = useApiMutation('cancelJob', {
    onDone: () => refresh('listJobs'),
  });
  if (!isEditor && me?.account?.email !== createdByEmail) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ params: { game, jobId } })}
      >
        Cancel
      </Button>
      {/* A job that has ended meanwhile needs no word: the list shows its end. */}
      {cancel.error?.code !== 'job_not_found' && <ProblemNote problem={cancel.error} />}
    </>
  );
}

/** How the last job ended: what came of it, or why not. */
export function JobEnd({ job, outcome }: { job: Job; outcome: string }) {
  const { state, failure, finishedAt, createdBy } = job;
  if (state === 'running') return null;
  return (
    <Text size="sm" role="status" {...(state === 'failed' && { c: 'red' })}>
      {state === 'done' && outcome}
      {state === 'failed' && failure}
      {state === 'cancelled' && 'Cancelled. What was done until then stays done.'}{' '}
      <Text span size="xs" c="dimmed">
        {createdBy}, <Moment at={finishedAt ?? job.createdAt} />
      </Text>
    </Text>
  );
}
