import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';

/** Deletes a group or one event after a second click, because it cannot be undone. */
export function DeleteFailed({
  group,
  entry,
  onDone,
}: {
  group?: Schemas['FailedEventGroup'];
  entry?: Schemas['FailedEvent'];
  onDone?: () => void;
}) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [isAsked, setAsked] = useState(false);
  const done = () => {
    setAsked(false);
    refresh('listFailedEventGroups', 'listFailedEvents');
    onDone?.();
  };
  const one = useApiMutation('deleteFailedEvent', { onDone: done });
  const all = useApiMutation('deleteFailedEvents', {
    // One request deletes at most 100,000 events.
    onDone: ({ isMore }) => (isMore ? remove() : done()),
  });
  if (!isEditor) return null;

  function remove() {
    if (entry !== undefined) one.mutate({ params: { game, id: entry.id } });
    if (group !== undefined)
      all.mutate({ params: { game }, body: { reason: group.reason, eventType: group.eventType } });
  }
  const what = group === undefined ? 'this event' : countOf(group.entries, 'event');
  const size = group === undefined ? 'sm' : 'compact-xs';
  return (
    <Group gap="xs" onClick={(event) => event.stopPropagation()}>
      <Button
        size={size}
        variant="subtle"
        color="red"
        loading={one.isPending || all.isPending}
        onClick={() => (isAsked ? remove() : setAsked(true))}
      >
        {isAsked ? `Yes, delete ${what}` : group === undefined ? 'Delete' : 'Delete all'}
      </Button>
      {isAsked && (
        <Button size={size} variant="default" onClick={() => setAsked(false)}>
          Keep
        </Button>
      )}
      <ProblemNote problem={one.error ?? all.error} />
    </Group>
  );
}
