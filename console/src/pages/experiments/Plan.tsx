import { Button, Card, Group, List, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { countOf } from '../../lib/format.js';
import { Loaded } from '../../parts/states.js';

export type MetricPlan = DataOf<'planExperiment'>['plans'][number];

type Props = {
  /** An experiment of the saved draft; without it, the usual metrics with two arms. */
  experimentId?: string | undefined;
  title: string;
  /** What the figures are of. */
  note: string;
  /** Takes the players and days of the metric that decides. */
  onTake?: (plan: { players: number; days: number }) => void;
};

/** What this game can measure, and how long it takes. */
export function Plan({ experimentId, title, note, onTake }: Props) {
  const { game } = useStudioAndGame();
  const [audience, setAudience] = useState<'all' | 'new'>('all');
  const query = { audience, ...(experimentId === undefined ? {} : { experimentId }) };
  const plan = useGet('planExperiment', { params: { game }, query }, { keepPrevious: true });
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Who enters"
          value={audience}
          onChange={(value) => setAudience(value === 'new' ? 'new' : 'all')}
          data={[
            { value: 'all', label: 'All players' },
            { value: 'new', label: 'New players only' },
          ]}
        />
      </Group>
      <Loaded query={plan} height={90}>
        {({ plans }) => (
          <>
            <List size="sm">
              {plans.map(({ title: metric, sentence }) => (
                <List.Item key={metric}>{sentence}</List.Item>
              ))}
            </List>
            {onTake !== undefined && <TakePlan plan={plans[0]} onTake={onTake} />}
          </>
        )}
      </Loaded>
      <Text size="xs" c="dimmed" mt={4}>
        {note}
      </Text>
    </Card>
  );
}

function TakePlan({ plan, onTake }: { plan: MetricPlan | undefined; onTake: NonNullable<Props['onTake']> }) {
  const { players = null, days = null } = plan ?? {};
  if (players === null || days === null) return null;
  return (
    <Button size="compact-xs" variant="default" mt="xs" onClick={() => onTake({ players, days })}>
      Plan {countOf(players, 'player')} and {countOf(days, 'day')}
    </Button>
  );
}
