import { Alert, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { RequestOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import {
  axisOf,
  type Exploration,
  exploredIntervals,
  groupInWords,
  type Report,
} from '../../lib/experiment.js';
import { countOf, formatCount } from '../../lib/format.js';
import { isShare } from '../../lib/metric-form.js';
import { Loaded } from '../../parts/states.js';
import { AxisFoot, Intervals } from './Intervals.js';

type By = NonNullable<NonNullable<RequestOf<'exploreExperiment'>['query']>['by']>;

const BY: readonly { value: By; label: string }[] = [
  { value: 'country', label: 'Country' },
  { value: 'platform', label: 'Platform' },
  { value: 'payer', label: 'Payers and others' },
  { value: 'new', label: 'New players and others' },
];

/** The arms in groups of players. It is worked out on demand, and says what it is not. */
export function Explore({ experimentId, report }: { experimentId: string; report: Report }) {
  const { game } = useStudioAndGame();
  const [by, setBy] = useState<By | ''>('');
  const [metric, setMetric] = useState(0);
  const found = useGet(
    'exploreExperiment',
    { params: { game, experimentId }, query: { by: by === '' ? 'country' : by, metric } },
    { enabled: by !== '' },
  );
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <NativeSelect
          size="xs"
          label="By what was known at the exposure"
          value={by}
          data={[{ value: '', label: 'Choose …' }, ...BY]}
          onChange={({ currentTarget }) => setBy(currentTarget.value as By | '')}
        />
        <NativeSelect
          size="xs"
          label="Metric"
          value={String(metric)}
          data={report.metrics.map(({ title }, index) => ({ value: String(index), label: title }))}
          onChange={({ currentTarget }) => setMetric(Number(currentTarget.value))}
        />
      </Group>
      {by !== '' && (
        <Loaded query={found} height={160}>
          {(explored) => <Groups explored={explored} />}
        </Loaded>
      )}
    </Stack>
  );
}

function Groups({ explored }: { explored: Exploration }) {
  const { by, metric, examined, isComplete, sentence } = explored;
  const groups = exploredIntervals(explored, (group) => groupInWords(by, group));
  const axis = axisOf(groups.flatMap(({ intervals }) => intervals));
  return (
    <>
      <Alert color="gray" title="Exploration, not a result">
        {sentence}
      </Alert>
      {groups.map(({ name, players, intervals }) => (
        <section key={name} aria-label={name}>
          <Text size="sm">
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {countOf(players, 'player')}
              {intervals.length === 0 && ', too few for an interval'}
            </Text>
          </Text>
          <Intervals intervals={intervals} axis={axis} isShare={isShare(metric)} isVerdict={false} />
        </section>
      ))}
      {groups.some(({ intervals }) => intervals.length > 0) && <AxisFoot axis={axis} />}
      {examined > 0 && (
        <Text size="xs" c="dimmed">
          {isComplete
            ? `All ${countOf(examined, 'player')}.`
            : `The first ${formatCount(examined)} players of the experiment.`}{' '}
          The intervals hold for all groups together, so they are wider than those above.
        </Text>
      )}
    </>
  );
}
