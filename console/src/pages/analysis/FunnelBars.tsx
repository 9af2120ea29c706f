import { Alert, Stack, Table, Text, Title } from '@mantine/core';
import { formatCount, formatDay, formatDays, formatShare } from '../../lib/format.js';
import { type FunnelResult, funnelRows, WINDOWS } from '../../lib/funnel.js';
import { type Column, DataTable } from '../../parts/DataTable.js';
import { SERIES } from '../../theme.js';

type Value = FunnelResult['values'][number];

/** How many players completed each step, as bars, and how many stopped before it. */
export function FunnelBars({ result }: { result: FunnelResult }) {
  const { from, to, windowHours, isComplete, eventsDeletedBefore, values, steps } = result;
  const window = WINDOWS.find(({ value }) => value === String(windowHours))?.label ?? `${windowHours} hours`;
  if ((result.players[0] ?? 0) === 0) {
    return (
      <Text size="sm" role="status">
        No player has sent <code>{steps[0]}</code> from {formatDays(from, to)}.
      </Text>
    );
  }
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {formatDays(from, to)}, within {window}
      </Title>
      {eventsDeletedBefore !== null && (
        <Alert color="orange" variant="light">
          Events before {formatDay(eventsDeletedBefore)} have been deleted, so earlier entries are missing.
        </Alert>
      )}
      <Steps result={result} />
      <Text size="xs" c="dimmed">
        Each player counts once, by the attempt that came furthest. Each step is later than the one before,
        and all are within {window} after the first.
        {isComplete ? '' : ' Not everybody has had that time yet: later steps may still grow.'}
      </Text>
      {values.length > 0 && (
        <DataTable
          label="Funnel by value"
          rows={values}
          rowKey={({ kind, value }) => `${kind} ${value}`}
          columns={columnsOf(result)}
          empty={null}
        />
      )}
    </Stack>
  );
}

function Steps({ result }: { result: FunnelResult }) {
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table aria-label="Funnel" verticalSpacing={6} maw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th ta="right">Players</Table.Th>
            <Table.Th ta="right">Of all</Table.Th>
            <Table.Th ta="right">Stopped before</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {funnelRows(result).map(({ step, players, share, lost, lostShare }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place, and two may have the same type
            <Table.Tr key={index}>
              <Table.Td
                // Blue over the page's own colour: readable in light and dark.
                style={{
                  background: `linear-gradient(90deg, ${SERIES[0]}44 ${share * 100}%, transparent 0)`,
                }}
              >
                {index + 1}. {step}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {formatCount(players)}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {formatShare(share)}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {lost === null
                  ? ''
                  : `${formatCount(lost)}${lostShare === null ? '' : ` (${formatShare(lostShare)})`}`}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function columnsOf({ steps, by }: FunnelResult): Column<Value>[] {
  return [
    {
      id: 'value',
      header: by === null ? '' : `${by[0]?.toUpperCase()}${by.slice(1)}`,
      cell: ({ kind, value }) => (kind === 'other' ? 'all others' : (value ?? 'not told')),
    },
    ...steps.map((step, index) => ({
      id: `step${index}`,
      header: `${index + 1}. ${step}`,
      isNumber: true,
      cell: ({ players }: Value) => formatCount(players[index] ?? 0),
    })),
    {
      id: 'completed',
      header: 'Completed',
      isNumber: true,
      cell: ({ players }) => (players[0] ? formatShare((players.at(-1) ?? 0) / players[0]) : '–'),
    },
  ];
}
