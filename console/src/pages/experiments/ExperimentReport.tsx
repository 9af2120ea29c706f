import { Alert, Card, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { fourDigits, isGuarded, type MetricReport, meanInWords, type Report } from '../../lib/experiment.js';
import { countOf, formatCount, formatDay } from '../../lib/format.js';
import { TableScroll } from '../../parts/TableScroll.js';
import { Explore } from './Explore.js';
import { IntervalsOfMetric } from './IntervalsOfMetric.js';

export const ROLES = { primary: 'decides', secondary: 'secondary', guardrail: 'guardrail' } as const;

/** Gates first, then the verdict, then the metrics. What is only of use while an experiment is in the document is left out of a former one. */
export function ExperimentReport({
  experimentId,
  report,
  isFormer,
  isRunning,
  segments,
}: {
  experimentId: string;
  report: Report;
  segments: readonly string[];
  isFormer: boolean;
  isRunning: boolean;
}) {
  const { gates, verdict, wouldChange, metrics } = report;
  const stopping = gates.find(({ isStopping }) => isStopping);
  return (
    <Stack gap="md">
      {gates.map(({ gate, isStopping, sentence }) => (
        <Alert
          key={gate}
          color={isStopping ? 'red' : 'yellow'}
          title={isStopping ? 'No result' : 'Read with care'}
        >
          {sentence}
        </Alert>
      ))}
      {stopping === undefined && <Text fw={500}>{verdict}</Text>}
      <Arms report={report} isRunning={isRunning} />
      {metrics.map((metric) => (
        <Metric key={`${metric.role} ${metric.title}`} report={metric} />
      ))}
      {wouldChange.length > 0 && (
        <Section title="What would change this verdict">
          <List size="sm">
            {wouldChange.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        </Section>
      )}
      {!isFormer && (
        <Section title="Explore groups of players">
          <Explore experimentId={experimentId} report={report} segments={segments} />
        </Section>
      )}
      <Text size="xs" c="dimmed">
        The intervals may be looked at every day: on all days together they are right in 95% of experiments.
        An interval that touches the dashed line is not proven.
      </Text>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

function Arms({
  report: { arms, from, to, days, playersPerDay },
  isRunning,
}: {
  report: Report;
  isRunning: boolean;
}) {
  const erased = arms.reduce((sum, { erasedPlayers }) => sum + erasedPlayers, 0);
  return (
    <Card withBorder padding="sm">
      <TableScroll label="Players of each arm" minWidth={280}>
        <Table aria-label="Players of each arm" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Arm</Table.Th>
              <Table.Th ta="right">Weight</Table.Th>
              <Table.Th ta="right">Players</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {arms.map(({ variantId, name, weight, players }, index) => (
              <Table.Tr key={variantId}>
                <Table.Td>
                  <span className="mono">{variantId}</span> {name}
                  {index === 0 && ' (control)'}
                </Table.Td>
                <Table.Td ta="right">{weight}</Table.Td>
                <Table.Td ta="right">{formatCount(players)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      <Text size="xs" c="dimmed">
        {formatDay(from)} to {formatDay(to)}, {countOf(days, 'day')}; {formatCount(playersPerDay)} players{' '}
        {isRunning ? 'enter' : 'entered'} a day.
        {erased > 0 && ` ${countOf(erased, 'player')} erased since stay in the sums.`}
      </Text>
    </Card>
  );
}

function Metric({ report }: { report: MetricReport }) {
  const { title, role, arms, capped, narrowing } = report;
  const means = arms.map(({ variantId, mean }) => `${variantId} ${meanInWords(report, mean)}`);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="xs" c="dimmed">
          {ROLES[role]}
        </Text>
      </Group>
      <IntervalsOfMetric report={report} />
      {arms.map(
        ({ variantId, comparison }) =>
          comparison !== null && (
            <Text key={variantId} size="sm">
              {comparison.sentence}
            </Text>
          ),
      )}
      {isGuarded(report) && (
        <Text size="xs" c="dimmed">
          The bar has a bound on both sides. The sentence asks about harm only, so it has one bound, which
          lies closer to zero.
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {means.join(', ')}
        {capped !== null &&
          `. Values above ${fourDigits(capped.at)} count as that: ${countOf(capped.players, 'player')}`}
      </Text>
      {narrowing && (
        <Text size="xs" c="dimmed">
          {narrowing.sentence}
        </Text>
      )}
    </Card>
  );
}
