import { Card, Stack, Table, Text } from '@mantine/core';
import type { DataOf } from '../../api/client.js';
import { formatCount } from '../../lib/format.js';
import { Moment } from '../../parts/texts.js';
import { ROLES } from './ExperimentReport.js';

/** What is known of an experiment before its first report: who, arms, metrics, and how many players have come. */
export function ExperimentOutline({ shown }: { shown: DataOf<'getExperiment'> }) {
  const { experiment, startedAt, metrics, exposed } = shown;
  const { variants, when, coveragePercent, activation } = experiment;
  const playersOf = (id: string) => exposed?.arms.find(({ variantId }) => variantId === id)?.players ?? 0;
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Table aria-label="Arms" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Arm</Table.Th>
              <Table.Th ta="right">Weight</Table.Th>
              {exposed !== null && <Table.Th ta="right">Players so far</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map(({ variantId, name, weight }, index) => (
              <Table.Tr key={variantId}>
                <Table.Td>
                  <span className="mono">{variantId}</span> {name}
                  {index === 0 && ' (control)'}
                </Table.Td>
                <Table.Td ta="right">{weight}</Table.Td>
                {exposed !== null && <Table.Td ta="right">{formatCount(playersOf(variantId))}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {exposed?.isBounded && (
          <Text size="xs" c="dimmed">
            Only the first players are counted here. The report counts them all.
          </Text>
        )}
        {startedAt !== null && (
          <Text size="sm">
            Running since <Moment at={startedAt} isExact />.
          </Text>
        )}
        <Text size="sm">
          Who: {coveragePercent}% of {when === null ? 'all players' : <span className="mono">{when}</span>}
          {activation !== undefined && `, counted from their first ${activation.eventType}`}
        </Text>
        <Text size="sm">
          Metrics: {metrics.map(({ title, role }) => `${title} (${ROLES[role]})`).join(', ')}
        </Text>
      </Stack>
    </Card>
  );
}
