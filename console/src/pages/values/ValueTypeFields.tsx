import { Group, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { GameValue } from '../../lib/document.js';
import { boundsOf, KINDS, type ValueKind, withAllowed, withBound, withKind } from '../../lib/value-form.js';
import { JsonInput } from '../../parts/ValueInput.js';

type Props = {
  value: GameValue;
  problemAt: (member: string) => string | undefined;
  onChange: (value: GameValue) => void;
};

/** The type of a value: its kind, and the bounds that this kind has. */
export function ValueTypeFields({ value, problemAt, onChange }: Props) {
  const { kind, enum: allowed, schema } = boundsOf(value.type);
  const setType = (type: GameValue['type']) => onChange({ ...value, type });
  const bounds =
    kind === 'string' ? (['minLength', 'maxLength'] as const) : (['minimum', 'maximum'] as const);
  return (
    <>
      <NativeSelect
        label="Type"
        description="Another type begins with values of its own"
        data={KINDS.map((each) => each)}
        value={kind}
        error={problemAt('type') ?? problemAt('type/kind')}
        onChange={({ currentTarget }) => onChange(withKind(value, currentTarget.value as ValueKind))}
      />
      {kind !== 'boolean' && kind !== 'json' && (
        <>
          <Group grow align="flex-start">
            {bounds.map((bound) => (
              <TextInput
                key={bound}
                label={LABELS[bound]}
                inputMode="decimal"
                placeholder="no bound"
                value={String(boundsOf(value.type)[bound] ?? '')}
                error={problemAt(`type/${bound}`)}
                onChange={({ currentTarget }) => setType(withBound(value.type, bound, currentTarget.value))}
              />
            ))}
          </Group>
          <AllowedValues
            key={kind}
            allowed={allowed ?? []}
            error={problemAt('type/enum')}
            onChange={(text) => setType(withAllowed(value.type, text))}
          />
        </>
      )}
      {kind === 'json' && (
        <JsonInput
          label="JSON Schema"
          value={schema}
          error={problemAt('type/schema')}
          onChange={(next) => setType({ kind, schema: next })}
        />
      )}
    </>
  );
}

const LABELS = {
  minimum: 'At least',
  maximum: 'At most',
  minLength: 'At least, in characters',
  maxLength: 'At most, in characters',
};

/** The text is kept as it is typed, with its last empty line. */
function AllowedValues({
  allowed,
  error,
  onChange,
}: {
  allowed: readonly unknown[];
  error: string | undefined;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(allowed.map(String).join('\n'));
  return (
    <Textarea
      label="Only these values"
      description="One in each line. Empty: all within the bounds"
      autosize
      minRows={1}
      maxRows={8}
      value={text}
      error={error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(currentTarget.value);
      }}
    />
  );
}
