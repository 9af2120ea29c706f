import { NativeSelect, Text } from '@mantine/core';
import type { ConfigDocument, GameValue } from '../../lib/document.js';
import { boundsOf } from '../../lib/value-form.js';
import { EntryPanel, type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';
import { ValueInput } from '../../parts/ValueInput.js';
import { ValueRules } from './ValueRuleFields.js';
import { ValueTypeFields } from './ValueTypeFields.js';

type Props = {
  value: GameValue;
  document: ConfigDocument;
  /** Where the value is in the document. */
  pointer: string;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (value: GameValue) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** A typed value: its type, the default, and who gets another one. */
export function ValuePanel({ value, document, pointer, problems, onChange, ...rest }: Props) {
  const problemAt = problemAtOf(problems);
  const set = (change: Partial<GameValue>) => onChange({ ...value, ...change });
  return (
    <EntryPanel
      {...rest}
      kind="Value"
      id={value.key}
      idMember="key"
      name={value.description}
      nameMember="description"
      nameLabel="Description"
      problems={problems}
      removeLabel="Remove the value"
      onId={(key) => set({ key })}
      onName={(description) => set({ description })}
    >
      <ValueTypeFields value={value} problemAt={problemAt} onChange={onChange} />
      <ValueInput
        // Another kind has another input.
        key={boundsOf(value.type).kind}
        label="Default"
        type={value.type}
        value={value.defaultValue}
        error={problemAt('defaultValue')}
        onChange={(defaultValue) => set({ defaultValue })}
      />
      <NativeSelect
        label="Who is told"
        data={[
          { value: 'clients', label: 'The game and your own servers' },
          { value: 'servers', label: 'Your own servers only' },
        ]}
        value={value.visibleTo}
        onChange={({ currentTarget }) =>
          set({ visibleTo: currentTarget.value === 'servers' ? 'servers' : 'clients' })
        }
      />
      <ValueRules
        value={value}
        document={document}
        pointer={pointer}
        isReadOnly={rest.isReadOnly}
        problems={problems}
        onChange={(rules) => set({ rules })}
      />
      <Text size="xs" c="dimmed">
        In the game: <span className="mono">player.value('{value.key}', …)</span>
      </Text>
    </EntryPanel>
  );
}
