import { Group, Text } from '@mantine/core';
import { axisOf, changeInWords, drawnIntervals, type MetricReport, placeOf } from '../../lib/experiment.js';

/** The intervals of all arms on one axis. Those that do not touch the line of zero are proven. */
export function Intervals({ report }: { report: MetricReport }) {
  const intervals = drawnIntervals(report);
  if (intervals.length === 0) return null;
  const axis = axisOf(intervals);
  const isShare = report.metric.kind === 'share';
  const zero = `${placeOf(0, axis)}%`;
  return (
    <div>
      {intervals.map(({ variantId, low, high, value }) => {
        const words = `${changeInWords(low, isShare)} to ${changeInWords(high, isShare)}`;
        const left = placeOf(low, axis);
        return (
          <Group key={variantId} gap="sm" wrap="nowrap">
            <Text size="sm" className="mono intervals-name">
              {variantId}
            </Text>
            <div className="intervals-axis" role="img" aria-label={`${variantId}: ${words}`}>
              <div className="intervals-zero" style={{ left: zero }} />
              <div
                className="intervals-bar"
                data-proven={low > 0 || high < 0}
                style={{ left: `${left}%`, width: `${placeOf(high, axis) - left}%` }}
              />
              <div className="intervals-value" style={{ left: `${placeOf(value, axis)}%` }} />
            </div>
            <Text size="xs" c="dimmed" className="intervals-words">
              {words}
            </Text>
          </Group>
        );
      })}
      <Group gap="sm" wrap="nowrap">
        <div className="intervals-name" />
        <div className="intervals-foot">
          <Text size="xs" c="dimmed" className="intervals-mark" style={{ left: zero }}>
            as the control
          </Text>
        </div>
        <div className="intervals-words" />
      </Group>
    </div>
  );
}
