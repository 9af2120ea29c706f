import { Text, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { fromLocalInput, toLocalInput } from '../lib/format.js';

/** Inputs that the console needs besides Mantine's. */

/** A time in the viewer's zone. It is kept as UTC, which is shown beside it. */
export function MomentInput({
  value,
  onChange,
  empty = 'no limit',
  ...rest
}: { value: string | null; onChange: (value: string | null) => void; empty?: string } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  return (
    <TextInput
      type="datetime-local"
      value={toLocalInput(value)}
      onChange={({ currentTarget }) => onChange(fromLocalInput(currentTarget.value))}
      inputContainer={(input) => (
        <>
          {input}
          <Text size="xs" c="dimmed">
            {value === null ? empty : `${value} UTC`}
          </Text>
        </>
      )}
      {...rest}
    />
  );
}

/** A whole number or nothing, typed as text so that no half-written value is thrown away. */
export function WholeNumberInput({
  value,
  onChange,
  ...rest
}: { value: number | null; onChange: (value: number | null) => void } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  return (
    <TextInput
      inputMode="numeric"
      value={value === null ? '' : String(value)}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replace(/\D/g, '');
        onChange(digits === '' ? null : Number(digits));
      }}
      {...rest}
    />
  );
}

/** A number. What is typed stays as it is typed, also halfway: `12.` on the way to `12.5`. */
export function DecimalInput({
  value,
  onChange,
  ...rest
}: { value: number; onChange: (value: number) => void } & Omit<TextInputProps, 'value' | 'onChange'>) {
  const [typed, setTyped] = useState(String(value));
  return (
    <TextInput
      inputMode="decimal"
      value={numberIn(typed) === value ? typed : String(value)}
      onChange={({ currentTarget }) => {
        const number = numberIn(currentTarget.value);
        if (number === undefined) return;
        setTyped(currentTarget.value);
        onChange(number);
      }}
      {...rest}
    />
  );
}

/** An empty text is zero: whoever types another number empties the field first. */
function numberIn(text: string): number | undefined {
  const number = Number(text.replace(',', '.'));
  return Number.isNaN(number) ? undefined : number;
}
