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

/**
 * A whole number or nothing. What is typed stays as it is typed: of `1.5` the service says what is wrong, where a field that leaves out the point
 * would say 15.
 */
export function WholeNumberInput({
  value,
  onChange,
  ...rest
}: { value: number | null; onChange: (value: number | null) => void } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  const [typed, setTyped] = useState('');
  return (
    <TextInput
      inputMode="numeric"
      value={numberOrNothingIn(typed) === value ? typed : String(value ?? '')}
      onChange={({ currentTarget }) => {
        const number = numberOrNothingIn(currentTarget.value);
        if (number === undefined) return;
        setTyped(currentTarget.value);
        onChange(number);
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
  const number = /^-?\d*[.,]?\d*$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

/** A minus alone is nothing yet. */
function numberOrNothingIn(text: string): number | null | undefined {
  return text === '' || text === '-' ? null : numberIn(text);
}
