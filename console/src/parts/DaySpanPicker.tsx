import { Group, NativeSelect, TextInput } from '@mantine/core';
import { beginAt, type DaySpan, endAt, type SpanSearch } from '../lib/day-span.js';

const DATES = 'dates';

/** The days of a page: the last n days, or from one day to another. The page keeps them in its address. */
export function DaySpanPicker({
  span,
  choices,
  today,
  onChange,
}: {
  span: DaySpan;
  /** Numbers of days. */
  choices: readonly string[];
  today: string;
  onChange: (search: SpanSearch) => void;
}) {
  const { days, from, to } = span;
  return (
    <Group gap="xs">
      <NativeSelect
        size="xs"
        aria-label="Time range"
        value={days ?? DATES}
        data={[
          ...choices.map((value) => ({ value, label: `last ${value} days` })),
          { value: DATES, label: 'dates…' },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange(
            value === DATES ? { days: undefined, from, to } : { days: value, from: undefined, to: undefined },
          )
        }
      />
      {days === null && (
        <>
          <DayInput label="From" value={from} max={today} onChange={(day) => onChange(beginAt(span, day))} />
          <DayInput label="To" value={to} max={today} onChange={(day) => onChange(endAt(span, day))} />
        </>
      )}
    </Group>
  );
}

function DayInput({
  label,
  value,
  max,
  onChange,
}: {
  label: string;
  value: string;
  max: string;
  onChange: (day: string) => void;
}) {
  return (
    <TextInput
      type="date"
      size="xs"
      aria-label={`${label} day (UTC)`}
      value={value}
      max={max}
      // While a date is being typed, the browser gives an empty text.
      onChange={({ currentTarget }) => currentTarget.value !== '' && onChange(currentTarget.value)}
    />
  );
}
