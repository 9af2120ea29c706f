import { Stack, Text } from '@mantine/core';
import { useApiMutation } from '../../api/hooks.js';
import { useNewestJob } from '../../api/use-newest-job.js';
import type { FunnelResult } from '../../lib/funnel.js';
import { outcomeOf, titleOf } from '../../lib/jobs.js';
import { JobEnd, JobProgress } from '../../parts/JobProgress.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { FunnelBars } from './FunnelBars.js';
import { FunnelForm } from './FunnelForm.js';

/** Where players stop: a form, the work while it runs, and what came of the last one. */
export function Funnel() {
  const { job, isLoaded, look } = useNewestJob('funnel');
  const start = useApiMutation('startFunnel', { onDone: look });
  const result = job?.state === 'done' ? (job.result as FunnelResult | null) : null;
  return (
    <Stack gap="md">
      <FunnelForm
        isBusy={start.isPending || job?.state === 'running'}
        onStart={(request) => start.mutate(request)}
      />
      <ProblemNote problem={start.error} />
      {job?.state === 'running' && <JobProgress job={job} doing={titleOf(job)} />}
      {job !== undefined && job.state !== 'running' && result === null && (
        <JobEnd job={job} outcome={outcomeOf(job)} />
      )}
      {result !== null && <FunnelBars result={result} />}
      {isLoaded && job === undefined && (
        <EmptyState title="No funnel yet">
          <Text size="sm">
            Choose types of events in their order and the time that players have for all of them. The service
            reads the stored events and counts how many players come from one step to the next; you can leave
            the page meanwhile. A result is kept for a day.
          </Text>
        </EmptyState>
      )}
    </Stack>
  );
}
