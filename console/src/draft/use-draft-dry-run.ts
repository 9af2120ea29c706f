import { useEffect, useRef } from 'react';
import type { ApiProblem, Schemas } from '../api/client.js';
import { useApiMutation, useGet, useStudioAndGame } from '../api/hooks.js';
import { useNewestJob } from '../api/use-newest-job.js';
import type { Job } from '../lib/jobs.js';

export type DryRunResult = Schemas['DryRunResult'];

/**
 * The dry run of the saved draft against what is published. It is a job: one that was started before, here or by another member, is
 * shown again as long as neither the draft nor the published version has changed. Otherwise a new one begins.
 */
export function useDraftDryRun(): {
  /** The one that runs; perhaps still that of an older draft, after which a new one begins. */
  running: Job | undefined;
  isOfOlderDraft: boolean;
  /** The one that has ended for the draft as it is. */
  ended: Job | undefined;
  result: DryRunResult | undefined;
  problem: ApiProblem | null;
  start: () => void;
} {
  const { game } = useStudioAndGame();
  const difference = useGet('draftDifference', { params: { game } });
  const { job, isLoaded, look } = useNewestJob('dry_run');
  const dryRun = useApiMutation('dryRun', { onDone: look });
  const { mutate } = dryRun;
  const now = difference.data;
  const isCurrent =
    job !== undefined &&
    now !== undefined &&
    job.subject.revision === now.revision &&
    job.subject.publishedVersion === now.publishedVersion;
  const running = job?.state === 'running' ? job : undefined;
  const ended = isCurrent && running === undefined ? job : undefined;
  const found = useGet(
    'getJob',
    { params: { game, jobId: ended?.jobId ?? '' } },
    { enabled: ended?.state === 'done' },
  );

  const wanted =
    isLoaded && now !== undefined && !isCurrent && running === undefined
      ? `${now.revision} ${now.publishedVersion}`
      : undefined;
  const begun = useRef<string>(undefined);
  useEffect(() => {
    if (wanted === undefined || begun.current === wanted) return;
    begun.current = wanted;
    mutate({ params: { game }, query: { background: 'true' }, body: {} });
  }, [wanted, mutate, game]);

  return {
    running,
    isOfOlderDraft: running !== undefined && !isCurrent,
    ended,
    result:
      ended?.state === 'done' ? ((found.data?.result ?? undefined) as DryRunResult | undefined) : undefined,
    problem: dryRun.error ?? found.error ?? difference.error,
    start: () => mutate({ params: { game }, query: { background: 'true' }, body: {} }),
  };
}
