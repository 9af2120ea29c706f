import { SERIES } from '../theme.js';

const WIDTH = 90;
const HEIGHT = 22;

/** A small line chart from zero; the label describes it in words. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const top = Math.max(1, ...values);
  const points = values.map(
    (value, index) => `${(index / (values.length - 1)) * WIDTH},${HEIGHT - 1 - (value / top) * (HEIGHT - 2)}`,
  );
  return (
    <svg className="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points.join(' ')} fill="none" stroke={SERIES[0]} strokeWidth={1.5} />
    </svg>
  );
}
