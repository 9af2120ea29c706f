import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DataOf } from '../api/client.js';
import { useGet, useStudioAndGame } from '../api/hooks.js';
import { countOf } from '../lib/format.js';

const IDLE_MS = 10_000;
const RUNNING_MS = 2_000;
/** More do not run at a time: one of each kind. */
const NEWEST = 10;

/** On every page, while long work runs: how much, and the way to it. */
export function RunningJobs({ onGo }: { onGo: () => void }) {
  const { studio, game } = useStudioAndGame();
  const { data } = useGet(
    'listJobs',
    { params: { game }, query: { limit: NEWEST } },
    { everyMs: (page) => (countRunning(page) > 0 ? RUNNING_MS : IDLE_MS) },
  );
  const running = countRunning(data);
  if (running === 0) return null;
  return (
    <Anchor
      size="sm"
      px="sm"
      py={4}
      display="block"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/$studio/$game/settings"
          params={{ studio, game }}
          search={{ tab: 'jobs' }}
          onClick={onGo}
        />
      )}
    >
      {countOf(running, 'job')} running
    </Anchor>
  );
}

function countRunning(page: DataOf<'listJobs'> | undefined): number {
  return page?.jobs.filter(({ state }) => state === 'running').length ?? 0;
}
