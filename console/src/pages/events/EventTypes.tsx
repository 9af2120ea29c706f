import { Badge, Text } from '@mantine/core';
import { useGet, usePlace } from '../../api/hooks.js';
import { formatCount, formatDay } from '../../lib/format.js';
import { DataTable } from '../../parts/DataTable.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';

/** Which types arrive, how many, and those that are probably misspelt. */
export function EventTypes() {
  const { game } = usePlace();
  const types = useGet('listEventTypes', { params: { game } });
  return (
    <>
      <ProblemNote problem={types.error} onRetry={() => types.refetch()} />
      {types.data && (
        <Text size="sm" c="dimmed" mb="xs">
          Events of the last {types.data.days} days, by their own time.
        </Text>
      )}
      <DataTable
        label="Event types"
        rows={types.data?.eventTypes}
        rowKey={({ eventType }) => eventType}
        empty={
          <EmptyState title="No event has arrived yet">
            <Text size="sm">
              Types appear here with their first event. A schema can be registered before that:
            </Text>
            <CopyableCode text="npx savepoint event-type register --help" />
          </EmptyState>
        }
        columns={[
          { id: 'type', header: 'Type', cell: ({ eventType }) => <span className="mono">{eventType}</span> },
          { id: 'events', header: 'Events', isNumber: true, cell: ({ events }) => formatCount(events) },
          {
            id: 'last',
            header: 'Last day',
            cell: ({ lastDay }) => (lastDay === null ? '–' : formatDay(lastDay)),
          },
          {
            id: 'schema',
            header: 'Schema',
            cell: ({ registeredVersion }) =>
              registeredVersion === null ? '–' : `version ${registeredVersion}`,
          },
          {
            id: 'note',
            header: '',
            cell: ({ looksLike }) =>
              looksLike !== null && (
                <Badge color="orange" variant="light" tt="none">
                  did you mean {looksLike}? It has none of its effects
                </Badge>
              ),
          },
        ]}
      />
    </>
  );
}
