import { SERIES } from '../theme.js';

const WIDTH = 90;
const HEIGHT = 22;

/** A small line chart from zero; the label describes it in words. */
export function Sparkline({
  values,
  label,
  colour = 0,
  isWide = false,
}: {
  values: readonly number[];
  label: string;
  /** The same as in charts of the measure. */
  colour?: number;
  /** As wide as the space that there is. */
  isWide?: boolean;
}) {
  if (values.length < 2) return null;
  const top = Math.max(...values) || 1;
  const points = values.map(
    (value, index) => `${(index / (values.length - 1)) * WIDTH},${HEIGHT - 1 - (value / top) * (HEIGHT - 2)}`,
  );
  return (
    <svg
      className="spark"
      width={isWide ? '100%' : WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke={SERIES[colour]}
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
