import { NativeSelect, Text, TextInput } from '@mantine/core';
import type { OwnAttribute } from '../../lib/document.js';
import { FOLDS, pathsOf, typesOf, withFold } from '../../lib/own-attributes.js';
import { EntryPanel, type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';

type Props = {
  attribute: OwnAttribute;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (attribute: OwnAttribute) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** An own attribute: which events carry it, where, and how many values become one. */
export function AttributePanel({ attribute, isReadOnly, problems, onChange, onRemove, onClose }: Props) {
  const problemAt = problemAtOf(problems);
  const set = (change: Partial<OwnAttribute>) => onChange({ ...attribute, ...change });
  const { fold, type, member, eventType } = attribute;
  return (
    <EntryPanel
      kind="Attribute"
      id={attribute.attributeId}
      idMember="attributeId"
      name={attribute.description}
      nameMember="description"
      nameLabel="Description"
      isReadOnly={isReadOnly}
      problems={problems}
      removeLabel="Remove the attribute"
      onId={(attributeId) => set({ attributeId })}
      onName={(description) => set({ description })}
      onRemove={onRemove}
      onClose={onClose}
    >
      <TextInput
        label="Event type"
        classNames={{ input: 'mono' }}
        value={eventType}
        error={problemAt('eventType')}
        onChange={({ currentTarget }) => set({ eventType: currentTarget.value })}
      />
      <NativeSelect
        label="What is kept"
        data={FOLDS.map((each) => each)}
        value={fold}
        error={problemAt('fold')}
        onChange={({ currentTarget }) =>
          onChange(withFold(attribute, currentTarget.value as OwnAttribute['fold']))
        }
      />
      <TextInput
        label="Member of the event"
        description={
          fold === 'count'
            ? 'Events with this member count; empty: all events of the type'
            : 'Such as payload.level or metadata.clientBuild'
        }
        classNames={{ input: 'mono' }}
        value={member ?? ''}
        error={problemAt('member')}
        onChange={({ currentTarget: { value } }) =>
          set({ member: value === '' && fold === 'count' ? null : value })
        }
      />
      <NativeSelect
        label="Type"
        data={typesOf(fold)}
        value={type}
        error={problemAt('type')}
        onChange={({ currentTarget }) => set({ type: currentTarget.value as OwnAttribute['type'] })}
      />
      <Text size="xs" c="dimmed">
        In rules:{' '}
        <span className="mono">
          {pathsOf(attribute)
            .map((path) => `own.${path}`)
            .join(', ')}
        </span>
        . Until a player’s past is worked out, rules that need it do not match.
      </Text>
    </EntryPanel>
  );
}
