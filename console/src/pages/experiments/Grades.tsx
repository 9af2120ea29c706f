import { Alert, Card, Table, Text, Title } from '@mantine/core';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { formatCount, formatShare } from '../../lib/format.js';
import { Loaded } from '../../parts/states.js';
import { TableScroll } from '../../parts/TableScroll.js';

const STATES = { good: 'in its bound', red: 'out of its bound', waiting: 'too few yet' } as const;

/** Whether the verdicts of this game's experiments can be trusted: how often hidden A/A experiments gave a false alarm. */
export function Grades() {
  const { game } = useStudioAndGame();
  const grades = useGet('getExperimentGrades', { params: { game } });
  return (
    <Card withBorder padding="sm">
      <Title order={2} size="h4" mb="xs">
        Can these verdicts be trusted?
      </Title>
      <Loaded query={grades} height={120}>
        {({ state, sentence, metrics, players, isSampled }) => (
          <>
            {state === 'red' ? (
              <Alert color="red" title="More false alarms than chance explains">
                {sentence}
              </Alert>
            ) : (
              <Text size="sm">{sentence}</Text>
            )}
            {metrics.length > 0 && (
              <TableScroll label="False alarms by metric" minWidth={420}>
                <Table aria-label="False alarms by metric" verticalSpacing={4} mt="xs">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Metric</Table.Th>
                      <Table.Th ta="right">False alarms</Table.Th>
                      <Table.Th ta="right">Share</Table.Th>
                      <Table.Th ta="right">Bound</Table.Th>
                      <Table.Th>State</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {metrics.map((line) => (
                      <Table.Tr key={line.title}>
                        <Table.Td>{line.title}</Table.Td>
                        <Table.Td ta="right">
                          {formatCount(line.alarms)} of {formatCount(line.judged)}
                        </Table.Td>
                        <Table.Td ta="right">{line.rate === null ? '–' : formatShare(line.rate)}</Table.Td>
                        <Table.Td ta="right">{formatCount(line.mostByChance)}</Table.Td>
                        <Table.Td>
                          <Text span size="sm" c={line.state === 'red' ? 'red' : 'dimmed'}>
                            {STATES[line.state]}
                          </Text>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </TableScroll>
            )}
            <Text size="xs" c="dimmed" mt={4}>
              Every night players are divided in two at random, in halves and as your experiments and
              hold-outs are, as if an experiment had run that changes nothing, and as if somebody had looked
              every day. Whatever that proves is a false alarm. If the true rate is 5%, more than the bound
              come less than once in 1,000 times.
              {players > 0 &&
                ` Last night: ${formatCount(players)} active players${isSampled ? ', a sample' : ''}.`}
            </Text>
          </>
        )}
      </Loaded>
    </Card>
  );
}
