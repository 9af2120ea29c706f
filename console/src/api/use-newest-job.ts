import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { Schemas } from './client.js';
import { useGet, usePlace } from './hooks.js';

type Job = Schemas['Job'];

const RUNNING_MS = 1_500;
/** Another person may start one. */
const IDLE_MS = 10_000;

/**
 * The newest job of a kind, whoever started it. It is looked at while it runs, so a page that was left shows it again. `onEnd` is called
 * when a job ends that was seen running.
 */
export function useNewestJob(
  kind: Job['kind'],
  onEnd?: (job: Job) => void,
): { job: Job | undefined; isLoaded: boolean; look: () => void } {
  const { studio, game } = usePlace();
  const queries = useQueryClient();
  const { data } = useGet(
    'listJobs',
    { params: { game }, query: { kind, limit: 1 } },
    { everyMs: (page) => (page?.jobs[0]?.state === 'running' ? RUNNING_MS : IDLE_MS) },
  );
  const job = data?.jobs[0];
  const seen = useRef<string>(undefined);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => {
    if (job === undefined) return;
    if (job.state === 'running') seen.current = job.jobId;
    else if (seen.current === job.jobId) {
      seen.current = undefined;
      ended.current?.(job);
    }
  }, [job]);
  const look = useCallback(() => {
    queries.invalidateQueries({ queryKey: [studio, 'listJobs'] });
  }, [queries, studio]);
  return { job, isLoaded: data !== undefined, look };
}
