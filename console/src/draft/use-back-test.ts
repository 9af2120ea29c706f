import type { ApiProblem, Schemas } from '../api/client.js';
import { useApiMutation, useGet, useStudioAndGame } from '../api/hooks.js';
import { useNewestJob } from '../api/use-newest-job.js';
import type { Job } from '../lib/jobs.js';

export type BackTestResult = Schemas['BackTestResult'];

/** The newest back-test of the game. It is a job, so it goes on without this page. A run takes minutes, so none begins by itself. */
export function useBackTest(): {
  running: Job | undefined;
  ended: Job | undefined;
  /** It tried the draft as it was saved before its last change, or another version. */
  isOfOlderDraft: boolean;
  result: BackTestResult | undefined;
  problem: ApiProblem | null;
  start: (days: number) => void;
} {
  const { game } = useStudioAndGame();
  const difference = useGet('draftDifference', { params: { game } });
  const { job, look } = useNewestJob('back_test');
  const backTest = useApiMutation('backTest', { onDone: look });
  const running = job?.state === 'running' ? job : undefined;
  const ended = running === undefined ? job : undefined;
  const found = useGet(
    'getJob',
    { params: { game, jobId: ended?.jobId ?? '' } },
    { enabled: ended?.state === 'done' },
  );
  return {
    running,
    ended,
    isOfOlderDraft:
      ended !== undefined &&
      difference.data !== undefined &&
      ended.subject.revision !== difference.data.revision,
    result:
      ended?.state === 'done' ? ((found.data?.result ?? undefined) as BackTestResult | undefined) : undefined,
    problem: backTest.error ?? found.error ?? difference.error,
    start: (days) => backTest.mutate({ params: { game }, query: { background: 'true' }, body: { days } }),
  };
}
