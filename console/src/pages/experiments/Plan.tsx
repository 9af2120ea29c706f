import { Card, Group, List, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { Loaded } from '../../parts/states.js';

/** What this game can measure, before an experiment is written. */
export function Plan() {
  const { game } = useStudioAndGame();
  const [audience, setAudience] = useState<'all' | 'new'>('all');
  const plan = useGet('planExperiment', { params: { game }, query: { audience } }, { keepPrevious: true });
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          What can this game measure?
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
          <List size="sm">
            {plans.map(({ title, sentence }) => (
              <List.Item key={title}>{sentence}</List.Item>
            ))}
          </List>
        )}
      </Loaded>
      <Text size="xs" c="dimmed" mt={4}>
        With two arms of equal size, from what players of the last eight weeks did.
      </Text>
    </Card>
  );
}
