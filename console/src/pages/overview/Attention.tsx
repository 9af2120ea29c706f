import { Alert, Anchor, List } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { type Concern, concernsOf } from '../../lib/attention.js';
import { daysBefore } from '../../lib/dashboard.js';

const LOOK_AGAIN_MS = 60_000;
const GROUPS = 100;
const PAGES = {
  events: '/$studio/$game/events',
  predictions: '/$studio/$game/predictions',
  overview: '/$studio/$game',
} as const;

/** What needs attention, each with a link. Shows nothing when all is well. */
export function Attention({ today }: { today: string }) {
  const { game } = useStudioAndGame();
  const params = { game };
  const options = { everyMs: LOOK_AGAIN_MS };
  const { data: losses } = useGet(
    'listLosses',
    { params, query: { from: daysBefore(today, 6), to: today } },
    options,
  );
  const { data: failed } = useGet('listFailedEventGroups', { params, query: { limit: GROUPS } }, options);
  const { data: models } = useGet('listModels', { params, query: { limit: 1 } }, options);
  const { data: holdout } = useGet('getHoldout', { params });
  const concerns = concernsOf({ losses, failed, models, holdout });
  if (concerns.length === 0) return null;
  return (
    <Alert color="orange" variant="light" p="sm" role="region" aria-label="Needs somebody">
      <List size="sm" spacing={2}>
        {concerns.map((concern) => (
          <List.Item key={concern.id}>
            <ConcernLink concern={concern} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function ConcernLink({ concern: { id, text, page, search } }: { concern: Concern }) {
  const params = useStudioAndGame();
  return (
    <Anchor
      size="sm"
      c="inherit"
      underline="always"
      renderRoot={(props) => (
        <Link
          {...props}
          to={PAGES[page]}
          params={params}
          search={search}
          {...(page === 'overview' ? { hash: id } : {})}
        />
      )}
    >
      {text}
    </Anchor>
  );
}
