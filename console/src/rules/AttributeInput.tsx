import { Autocomplete, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Schemas } from '../api/client.js';
import { descriptionsOf, isComparable, type KnownKeys, matchingUsages } from '../lib/attribute-usages.js';

type Props = {
  attributes: readonly Schemas['Attribute'][];
  keys?: KnownKeys;
  /** Which of them can be chosen; by default all that have a value to compare. */
  isChoice?: (usage: string) => boolean;
  value: string;
  onChange: (usage: string) => void;
  label?: string;
  description?: string;
  'aria-label'?: string;
  disabled?: boolean;
  onBlur?: () => void;
};

/** An attribute of a rule, completed while it is typed. Each is listed with what it means, and found by that too. */
export function AttributeInput({ attributes, keys, isChoice = isComparable, ...input }: Props) {
  const descriptions = useMemo(
    () => new Map([...descriptionsOf(attributes, keys)].filter(([usage]) => isChoice(usage))),
    [attributes, keys, isChoice],
  );
  return (
    <Autocomplete
      {...input}
      size="xs"
      // On a narrow page the fields of a condition wrap before this one is too small to read.
      flex="1 1 10rem"
      data={[...descriptions.keys()]}
      filter={({ search }) => matchingUsages(descriptions, search).map((value) => ({ value, label: value }))}
      maxDropdownHeight={280}
      // Wider than the field: a description needs the room, also on a telephone.
      comboboxProps={{ width: 'min(24rem, 92vw)', position: 'bottom-start' }}
      renderOption={({ option }) => (
        <div>
          <span className="mono">{option.value}</span>
          <Text size="xs" c="dimmed">
            {descriptions.get(option.value)}
          </Text>
        </div>
      )}
    />
  );
}
