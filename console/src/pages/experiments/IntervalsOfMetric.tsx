import { axisOf, drawnIntervals, type MetricReport } from '../../lib/experiment.js';
import { isShare } from '../../lib/metric-form.js';
import { AxisFoot, Intervals } from './Intervals.js';

/** The arms of a metric against the control, with the axis below; nothing where there is no interval yet. */
export function IntervalsOfMetric({ report }: { report: MetricReport }) {
  const intervals = drawnIntervals(report);
  if (intervals.length === 0) return null;
  const axis = axisOf(intervals);
  return (
    <div>
      <Intervals intervals={intervals} axis={axis} isShare={isShare(report.metric)} isVerdict />
      <AxisFoot axis={axis} />
    </div>
  );
}
