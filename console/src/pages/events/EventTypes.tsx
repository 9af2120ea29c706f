import { Anchor, Badge, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf, formatCount, formatDay } from '../../lib/format.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { AddButton } from '../../parts/entries.js';
import { Sparkline } from '../../parts/Sparkline.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { EventSchemaPanel } from './EventSchemaPanel.js';
import { UnregisteredTypes } from './UnregisteredTypes.js';

const route = getRouteApi('/$studio/$game/events');
/** In the address, where a type is named in the panel; no game sends a type of this name. */
const NEW = '+';

/** Which types arrive, how many, and those that are probably misspelt. */
export function EventTypes() {
  const { game } = useStudioAndGame();
  const types = usePages('listEventTypes', { params: { game } });
  const days = types.data?.pages[0]?.days;
  const all = types.data?.pages.flatMap(({ eventTypes }) => eventTypes);
  const { isEditor } = useRole();
  const { schema: open } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (eventType: string | undefined) =>
    navigate({ search: (before) => ({ ...before, schema: eventType }) });
  const openType = all?.find(({ eventType }) => eventType === open);
  return (
    <>
      <ProblemNote problem={types.error} onRetry={() => types.refetch()} />
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          {days !== undefined && `Events of the last ${countOf(days, 'day')}, by their own time.`}
        </Text>
        {isEditor && <AddButton label="Register a schema" onClick={() => show(NEW)} />}
      </Group>
      {all && <UnregisteredTypes types={all} isCut={types.hasNextPage} />}
      <DataTable
        label="Event types"
        rows={all}
        rowKey={({ eventType }) => eventType}
        more={moreOf(types)}
        empty={
          <EmptyState title="No event has arrived yet">
            <Text size="sm">
              Types appear here with their first event. A schema can be registered before that: events that do
              not match it then wait in the inbox.
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'type', header: 'Type', cell: ({ eventType }) => <span className="mono">{eventType}</span> },
          { id: 'events', header: 'Events', isNumber: true, cell: ({ events }) => formatCount(events) },
          {
            id: 'volume',
            header: 'By day',
            cell: ({ volumes, eventType }) => (
              <Sparkline
                values={volumes}
                label={`${eventType} by day, ${formatCount(volumes.at(-1) ?? 0)} today`}
              />
            ),
          },
          {
            id: 'last',
            header: 'Last day',
            cell: ({ lastDay }) => (lastDay === null ? '–' : formatDay(lastDay)),
          },
          {
            id: 'schema',
            header: 'Schema',
            cell: ({ registeredVersion, eventType }) => {
              if (registeredVersion === null && !isEditor) return '–';
              const text = registeredVersion === null ? 'register' : `version ${registeredVersion}`;
              return (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  aria-label={`${text}, schema of ${eventType}`}
                  onClick={() => show(eventType)}
                >
                  {text}
                </Anchor>
              );
            },
          },
          {
            id: 'note',
            header: '',
            cell: ({ looksLike, isBuiltIn }) =>
              looksLike !== null ? (
                <Badge color="orange" variant="light" tt="none">
                  did you mean {looksLike}?
                </Badge>
              ) : (
                isBuiltIn && (
                  <Badge color="gray" variant="light" tt="none">
                    built in
                  </Badge>
                )
              ),
          },
        ]}
      />
      {open !== undefined && (open === NEW || types.data !== undefined) && (
        <EventSchemaPanel
          key={open}
          eventType={open === NEW ? undefined : open}
          isRegistered={openType?.registeredVersion != null}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}
