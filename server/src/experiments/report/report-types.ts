import type { Interval } from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import type { ForecastName } from '../../decide/predict/forecast.js';
import type { ComparisonState } from './compare-arms.js';
import type { ArmSums } from './experiment-sums.js';
import type { Gate } from './gates.js';
import type { GuardrailResult } from './guardrails.js';

export type ArmMetric = Readonly<{
  variantId: string;
  /** Players who have a value, and those whose value is above zero. */
  players: number;
  positive: number;
  mean: number | null;
  /** Null for the control. */
  comparison: ArmComparison | null;
}>;

export type ArmComparison = Readonly<{
  state: ComparisonState | 'sample_ratio_mismatch';
  difference: number | null;
  interval: Interval | null;
  relative: number | null;
  relativeInterval: Interval | null;
  p: number | null;
  guardrail: GuardrailResult | null;
  /** For one look, on the day on which the plan ended: points of a share, else relative. */
  plannedEndInterval: Interval | null;
  daysUntilProven: number | null;
  sentence: string;
}>;

/** What was known of players at the exposure, which makes the intervals of a metric narrower. */
export type Narrowing = Readonly<{
  /** Than without it. */
  percent: number;
  /** Whether the same measure of the 28 days before is part of it. */
  hasDaysBefore: boolean;
  /** Null where no forecast is part of it. */
  forecast: Readonly<{ prediction: ForecastName; players: number }> | null;
  sentence: string;
}>;

export type MetricReport = Readonly<{
  metric: MetricEntry;
  role: 'primary' | 'secondary' | 'guardrail';
  title: string;
  capped: { players: number; at: number } | null;
  /** Null where nothing is taken out. Reports of earlier releases do not say it. */
  narrowing?: Narrowing | null;
  arms: ArmMetric[];
}>;

export type Report = Readonly<{
  from: string;
  to: string;
  days: number;
  arms: Readonly<{
    variantId: string;
    name: string;
    weight: number;
    players: number;
    erasedPlayers: number;
  }>[];
  playersPerDay: number;
  sampleRatio: Readonly<{ p: number; isMismatch: boolean }>;
  gates: Gate[];
  verdict: string;
  wouldChange: string[];
  metrics: MetricReport[];
}>;

export type ReportArm = ArmSums & Readonly<{ variantId: string; name: string; weight: number }>;
