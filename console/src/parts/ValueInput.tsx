import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { GameValue } from '../lib/document.js';
import { parseJson } from '../lib/json-text.js';
import { boundsOf, numberOf } from '../lib/value-form.js';

type Props = {
  label: string;
  type: GameValue['type'];
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
};

/** An input for a value of the type: what is typed is kept as a value of this type, or shown with what is wrong. */
export function ValueInput({ type, ...rest }: Props) {
  const { kind, enum: allowed } = boundsOf(type);
  if (kind === 'boolean') return <SwitchInput {...rest} />;
  if (kind === 'json') return <JsonInput {...rest} />;
  if (allowed !== undefined) return <ChoiceInput {...rest} allowed={allowed} />;
  return kind === 'string' ? <LongTextInput {...rest} /> : <NumberText {...rest} />;
}

type Input = Omit<Props, 'type'>;

function SwitchInput({ label, value, error, onChange }: Input) {
  return (
    <Checkbox
      label={`${label}: ${String(value)}`}
      checked={value === true}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

function ChoiceInput({ label, value, error, onChange, allowed }: Input & { allowed: readonly unknown[] }) {
  const texts = allowed.map(String);
  const isKnown = allowed.includes(value);
  return (
    <NativeSelect
      label={label}
      data={isKnown ? texts : [String(value), ...texts]}
      value={String(value)}
      error={error}
      onChange={({ currentTarget }) => onChange(allowed.find((each) => String(each) === currentTarget.value))}
    />
  );
}

function LongTextInput({ label, value, error, onChange }: Input) {
  return (
    <Textarea
      label={label}
      autosize
      minRows={1}
      maxRows={8}
      value={String(value)}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The text is kept as it is typed: `1.` is on its way to `1.5`. */
function NumberText({ label, value, error, onChange }: Input) {
  const [text, setText] = useState(String(value));
  const shown = numberOf(text) === value ? text : String(value);
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      value={shown}
      error={error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(numberOf(currentTarget.value));
      }}
    />
  );
}

/** JSON goes into the draft when it can be read. */
export function JsonInput({ label, value, error, onChange }: Input) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <Textarea
      label={label}
      autosize
      minRows={2}
      maxRows={16}
      value={text}
      error={isWrong ? 'This is not JSON yet. The draft keeps the last text that was.' : error}
      classNames={{ input: 'mono' }}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const read = parseJson(currentTarget.value);
        setWrong(read === undefined);
        if (read !== undefined) onChange(read);
      }}
    />
  );
}
