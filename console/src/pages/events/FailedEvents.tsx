import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet, usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useNewestJob } from '../../api/use-newest-job.js';
import { formatCount } from '../../lib/format.js';
import { outcomeOf, titleOf } from '../../lib/jobs.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { JobEnd, JobProgress } from '../../parts/JobProgress.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { DeleteFailed } from './DeleteFailed.js';
import { FailedEventPanel } from './FailedEventPanel.js';

const route = getRouteApi('/$studio/$game/events');
type FailedGroup = Schemas['FailedEventGroup'];
/** Each row has its own buttons. */
const GROUPS_PER_PAGE = 100;

/** Refused events by reason. One event can be corrected and replayed; all events of a reason can be replayed as they are, or deleted. */
export function FailedEvents() {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const { reason, type } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = usePages('listFailedEventGroups', { params: { game }, query: { limit: GROUPS_PER_PAGE } });
  const { job } = useNewestJob('replay', () => {
    refresh('listFailedEventGroups', 'listFailedEvents');
  });
  const isRunning = job?.state === 'running';
  return (
    <Stack gap="lg">
      {isRunning && <JobProgress job={job} doing={titleOf(job)} />}
      {job !== undefined && <JobEnd job={job} outcome={`${titleOf(job)}: ${outcomeOf(job)}`} />}
      <ProblemNote problem={groups.error} onRetry={() => groups.refetch()} />
      <DataTable
        label="Reasons"
        rows={uniqueGroups(groups.data?.pages)}
        rowKey={groupKey}
        more={moreOf(groups)}
        onOpen={(group) =>
          navigate({ search: { tab: 'failed', reason: group.reason, type: group.eventType ?? undefined } })
        }
        empty={
          <EmptyState title="No event is waiting">
            <Text size="sm">
              Events that are refused are kept here with the reason, to be corrected and replayed.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'reason',
            header: 'Reason',
            cell: (group) => (
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() =>
                  navigate({
                    search: { tab: 'failed', reason: group.reason, type: group.eventType ?? undefined },
                  })
                }
              >
                {group.reason}
              </Button>
            ),
          },
          { id: 'type', header: 'Type', cell: ({ eventType }) => eventType ?? '(unreadable)' },
          { id: 'entries', header: 'Events', isNumber: true, cell: ({ entries }) => formatCount(entries) },
          { id: 'last', header: 'Last', cell: ({ lastAt }) => <Moment at={lastAt} /> },
          { id: 'example', header: 'Example', cell: (group) => <Example group={group} /> },
          { id: 'replay', header: '', cell: (group) => <ReplayGroup group={group} isRunning={isRunning} /> },
          { id: 'delete', header: '', cell: (group) => <DeleteFailed group={group} /> },
        ]}
      />
      {reason !== undefined && <Entries reason={reason} eventType={type} />}
    </Stack>
  );
}

function groupKey({ reason, eventType }: FailedGroup): string {
  return `${reason} ${eventType}`;
}

/** Groups are counted anew for each page: one that has shrunk meanwhile is on two of them. */
function uniqueGroups(pages: readonly { groups: FailedGroup[] }[] | undefined): FailedGroup[] | undefined {
  const all = pages?.flatMap(({ groups }) => groups);
  return all && [...new Map(all.map((group) => [groupKey(group), group])).values()];
}

/** What is wrong with the newest of a group; of a type that is not registered, what to do. */
function Example({ group: { reason, eventType, exampleMessage, looksLike } }: { group: FailedGroup }) {
  const { isEditor } = useRole();
  const navigate = route.useNavigate();
  if (reason !== 'event_type_unregistered' || eventType === null) return exampleMessage;
  return (
    <Stack gap={2} align="flex-start" onClick={(event) => event.stopPropagation()}>
      {looksLike === null
        ? 'The type has no schema. Register it, then replay these events.'
        : `The type has no schema. Did you mean ${looksLike}? Let the game send that name, and correct these events.`}
      {isEditor && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => navigate({ search: { tab: 'types', schema: eventType } })}
        >
          Register {eventType}
        </Anchor>
      )}
    </Stack>
  );
}

function Entries({ reason, eventType }: { reason: string; eventType: string | undefined }) {
  const { game } = useStudioAndGame();
  const { event } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { reason, ...(eventType === undefined ? {} : { eventType }) };
  const pages = usePages('listFailedEvents', { params: { game }, query });
  const rows = pages.data?.pages.flatMap(({ events }) => events);
  const listed = rows?.find(({ id }) => id === event);
  // The address may name an entry of a later page: the timeline of a player links to it.
  const named = useGet(
    'getFailedEvent',
    { params: { game, id: event ?? '' } },
    { enabled: event !== undefined && rows !== undefined && listed === undefined },
  );
  const open = event === undefined ? undefined : (listed ?? named.data);
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, event: id }) });
  return (
    <section aria-label={`Events refused for ${reason}`}>
      <Text fw={600} mb="xs">
        {reason} {eventType}
      </Text>
      <ProblemNote problem={pages.error} />
      <DataTable
        label="Failed events"
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => show(id)}
        more={moreOf(pages)}
        empty={<Text c="dimmed">None is left.</Text>}
        columns={[
          { id: 'at', header: 'Received', cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
          { id: 'message', header: 'What is wrong', cell: ({ message }) => message },
          { id: 'build', header: 'Build', cell: ({ clientBuild }) => clientBuild ?? '–' },
          {
            id: 'open',
            header: '',
            cell: ({ id }) => (
              <Button size="compact-xs" variant="default" onClick={() => show(id)}>
                Correct
              </Button>
            ),
          },
        ]}
      />
      {open !== undefined && <FailedEventPanel key={open.id} entry={open} onClose={() => show(undefined)} />}
    </section>
  );
}

/** Replays all events of a group as they are, once the reason is gone: a schema was registered, for example. */
function ReplayGroup({ group, isRunning }: { group: FailedGroup; isRunning: boolean }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const replay = useApiMutation('replayFailedEvents', {
    onDone: () => refresh('listJobs'),
  });
  if (!isEditor) return null;
  const { reason, eventType } = group;
  return (
    <Group gap="xs" onClick={(event) => event.stopPropagation()}>
      <Button
        size="compact-xs"
        variant="default"
        loading={replay.isPending}
        disabled={isRunning}
        onClick={() =>
          replay.mutate({ params: { game }, query: { background: 'true' }, body: { reason, eventType } })
        }
      >
        Replay all
      </Button>
      <ProblemNote problem={replay.error} />
    </Group>
  );
}
