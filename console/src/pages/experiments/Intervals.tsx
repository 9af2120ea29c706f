import { Group, Text } from '@mantine/core';
import { type Axis, changeInWords, type DrawnInterval, placeOf } from '../../lib/experiment.js';

type Props = {
  intervals: readonly DrawnInterval[];
  axis: Axis;
  isShare: boolean;
  /** Whether an interval that does not touch the line of zero is a proof. */
  isVerdict: boolean;
};

/** Intervals on one axis. Those that do not touch the line of zero are proven, where there is a verdict. */
export function Intervals({ intervals, axis, isShare, isVerdict }: Props) {
  return intervals.map(({ name, low, high, value }) => {
    const words = `${changeInWords(low, isShare)} to ${changeInWords(high, isShare)}`;
    const left = placeOf(low, axis);
    return (
      <Group key={name} gap="sm" wrap="nowrap" className="intervals-row">
        <Text size="sm" className="mono intervals-name" title={name}>
          {name}
        </Text>
        <div className="intervals-axis" role="img" aria-label={`${name}: ${words}`}>
          <div className="intervals-zero" style={{ left: `${placeOf(0, axis)}%` }} />
          <div
            className="intervals-bar"
            data-proven={isVerdict && (low > 0 || high < 0)}
            style={{ left: `${left}%`, width: `${placeOf(high, axis) - left}%` }}
          />
          <div className="intervals-value" style={{ left: `${placeOf(value, axis)}%` }} />
        </div>
        <Text size="xs" c="dimmed" className="intervals-words">
          {words}
        </Text>
      </Group>
    );
  });
}

/** What the line of zero means. */
export function AxisFoot({ axis }: { axis: Axis }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <div className="intervals-name" />
      <div className="intervals-foot">
        <Text size="xs" c="dimmed" className="intervals-mark" style={{ left: `${placeOf(0, axis)}%` }}>
          as the control
        </Text>
      </div>
      <div className="intervals-words" />
    </Group>
  );
}
