import { Autocomplete, Group, NativeSelect } from '@mantine/core';
import type { KnownValues } from '../../lib/known-values.js';
import {
  choiceOf,
  MEASURES,
  METRICS,
  type Measure,
  type MeasureChoice,
  type Metric,
  type MetricChoice,
  measureOf,
  metricOf,
  RETENTION_DAYS,
} from '../../lib/metric-form.js';

type Props = {
  label: string;
  metric: Metric;
  /** Event types and currencies of this game. */
  known: KnownValues;
  error?: string | undefined;
  onChange: (metric: Metric) => void;
};

/** One metric: its kind, and what this kind needs. */
export function MetricFields({ label, metric, known, error, onChange }: Props) {
  return (
    <Group gap="xs" align="flex-start" role="group" aria-label={label}>
      <NativeSelect
        label={label}
        flex="1 1 14rem"
        data={METRICS.map((each) => each)}
        value={choiceOf(metric)}
        error={error}
        onChange={({ currentTarget }) =>
          onChange(metricOf(currentTarget.value as MetricChoice, known.eventType?.values[0]))
        }
      />
      {metric.kind === 'share' && metric.of === 'retained' && (
        <NativeSelect
          label="On day"
          w={90}
          data={RETENTION_DAYS.map(String)}
          value={String(metric.day)}
          onChange={({ currentTarget }) =>
            onChange({ ...metric, day: Number(currentTarget.value) as typeof metric.day })
          }
        />
      )}
      {metric.kind === 'share' && metric.of === 'event' && (
        <EventTypeInput
          label="Event type"
          flex="1 1 10rem"
          known={known}
          value={metric.eventType}
          onChange={(eventType) => onChange({ ...metric, eventType })}
        />
      )}
      {metric.kind !== 'share' && (
        <MeasureFields
          label="Sum of"
          known={known}
          measure={metric.sum}
          onChange={(sum) => onChange({ ...metric, sum })}
        />
      )}
      {metric.kind === 'ratio' && (
        <MeasureFields
          label="Divided by"
          known={known}
          measure={metric.per}
          onChange={(per) => onChange({ ...metric, per })}
        />
      )}
    </Group>
  );
}

type MeasureProps = {
  label: string;
  known: KnownValues;
  measure: Measure;
  onChange: (measure: Measure) => void;
};

function MeasureFields({ label, known, measure, onChange }: MeasureProps) {
  const currencies = known.currency?.values ?? [];
  return (
    <>
      <NativeSelect
        label={label}
        flex="1 1 9rem"
        data={MEASURES.map((each) => each)}
        value={measure.of}
        onChange={({ currentTarget }) =>
          onChange(measureOf(currentTarget.value as MeasureChoice, known.eventType?.values[0]))
        }
      />
      {measure.of === 'revenue' && (
        <NativeSelect
          label="Currency"
          flex="1 1 9rem"
          data={[
            { value: '', label: 'all, at the studio’s rates' },
            ...[...new Set([...currencies, ...(measure.currency === null ? [] : [measure.currency])])],
          ]}
          value={measure.currency ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ of: 'revenue', currency: value === '' ? null : value })
          }
        />
      )}
      {measure.of === 'events' && (
        <EventTypeInput
          label="Event type"
          flex="1 1 10rem"
          known={known}
          value={measure.eventType}
          onChange={(eventType) => onChange({ of: 'events', eventType })}
        />
      )}
    </>
  );
}

type EventTypeProps = {
  label: string;
  /** Its width beside others. */
  flex?: string;
  description?: string;
  known: KnownValues;
  value: string;
  error?: string | undefined;
  onChange: (eventType: string) => void;
};

/** An event type, completed from those that the game has sent. */
export function EventTypeInput({ known, ...input }: EventTypeProps) {
  return (
    <Autocomplete
      {...input}
      classNames={{ input: 'mono' }}
      data={[...(known.eventType?.values ?? [])]}
      limit={20}
    />
  );
}
