import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { Schemas } from './client.js';
import { useGet, useStudioAndGame } from './hooks.js';

type Job = Schemas['Job'];

const RUNNING_MS = 1_500;
/** Another person may start one. */
const IDLE_MS = 10_000;

/**
 * The newest job of a kind, whoever started it. It is looked at while it runs, so a page that was left shows it again. `onEnd` is called
 * once for each job that has ended, also for one that had ended before: a short one may end before it is seen running.
 */
export function useNewestJob(
  kind: Job['kind'],
  onEnd?: (job: Job) => void,
): { job: Job | undefined; isLoaded: boolean; look: () => void } {
  const { studio, game } = useStudioAndGame();
  const queries = useQueryClient();
  const { data } = useGet(
    'listJobs',
    { params: { game }, query: { kind, limit: 1 } },
    { everyMs: (page) => (page?.jobs[0]?.state === 'running' ? RUNNING_MS : IDLE_MS) },
  );
  const job = data?.jobs[0];
  const told = useRef<string>(undefined);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => {
    if (job === undefined || job.state === 'running' || told.current === job.jobId) return;
    told.current = job.jobId;
    ended.current?.(job);
  }, [job]);
  const look = useCallback(() => {
    queries.invalidateQueries({ queryKey: [studio, 'listJobs'] });
  }, [queries, studio]);
  return { job, isLoaded: data !== undefined, look };
}
