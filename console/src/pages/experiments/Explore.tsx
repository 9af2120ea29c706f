import { Alert, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { RequestOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useDraft } from '../../draft/draft-context.js';
import { axisOf, type Exploration, exploredIntervals, type Report } from '../../lib/experiment.js';
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
const CHOOSE = { value: '', label: 'Choose …' };
const BY_SEGMENT = { value: 'segment', label: 'A segment' } as const;

/** The arms in groups of players. It is worked out on demand, and says what it is not. */
export function Explore({
  experimentId,
  report,
  segments,
}: {
  experimentId: string;
  report: Report;
  /** Ids of those that exposures are stored with. */
  segments: readonly string[];
}) {
  const { game } = useStudioAndGame();
  const [by, setBy] = useState<By | ''>('');
  const [segment, setSegment] = useState('');
  const [metric, setMetric] = useState(0);
  const { document } = useDraft();
  const isBySegment = by === 'segment';
  const isChosen = isBySegment ? segment !== '' : by !== '';
  const nameOf = (id: string) => document?.segments.find(({ segmentId }) => segmentId === id)?.name ?? id;
  const found = useGet(
    'exploreExperiment',
    {
      params: { game, experimentId },
      query: { by: by === '' ? 'country' : by, metric, ...(isBySegment && { segment }) },
    },
    { enabled: isChosen },
  );
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <NativeSelect
          size="xs"
          label="By what was known at the exposure"
          value={by}
          data={[CHOOSE, ...BY, ...(segments.length > 0 ? [BY_SEGMENT] : [])]}
          onChange={({ currentTarget }) => setBy(currentTarget.value as By | '')}
        />
        {isBySegment && (
          <NativeSelect
            size="xs"
            label="Segment"
            value={segment}
            data={[CHOOSE, ...segments.map((id) => ({ value: id, label: nameOf(id) }))]}
            onChange={({ currentTarget }) => setSegment(currentTarget.value)}
          />
        )}
        <NativeSelect
          size="xs"
          label="Metric"
          value={String(metric)}
          data={report.metrics.map(({ title }, index) => ({ value: String(index), label: title }))}
          onChange={({ currentTarget }) => setMetric(Number(currentTarget.value))}
        />
      </Group>
      {isChosen && (
        <Loaded query={found} height={160}>
          {(explored) => <Groups explored={explored} />}
        </Loaded>
      )}
    </Stack>
  );
}

function Groups({ explored }: { explored: Exploration }) {
  const { metric, examined, isComplete, sentence } = explored;
  const groups = exploredIntervals(explored);
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
