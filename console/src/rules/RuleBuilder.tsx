import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useGet } from '../api/hooks.js';
import { usagesOf } from '../lib/attribute-usages.js';
import { replacedAt } from '../lib/document.js';
import {
  type Condition,
  isAttributePath,
  literalOf,
  OPERATORS,
  type Operator,
  textOfLiteral,
} from '../lib/rule.js';
import { Icon } from '../parts/Icon.js';
import { AttributeInput } from './AttributeInput.js';

type Choices = { segments: readonly string[]; flags: readonly string[]; isReadOnly: boolean };
type Props = Choices & { conditions: readonly Condition[]; onChange: (conditions: Condition[]) => void };

/** Until they are loaded: always the same list, so that nothing is worked out again. */
const NO_ATTRIBUTES: readonly never[] = [];

const WORDS: Record<Operator, string> = {
  '==': 'is',
  '!=': 'is not',
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
};

/** Conditions that all have to hold, one to a line. */
export function RuleBuilder({ conditions, onChange, ...choices }: Props) {
  const add = (condition: Condition) => onChange([...conditions, condition]);
  const { segments, flags, isReadOnly } = choices;
  return (
    <Stack gap={6}>
      {conditions.length === 0 && (
        <Text size="sm" c="dimmed">
          No condition: all players.
        </Text>
      )}
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no id, and two may be the same
        <Group key={index} gap={6} wrap="nowrap" align="flex-start">
          <Text size="sm" w={32} pt={4} c="dimmed">
            {index === 0 ? 'if' : 'and'}
          </Text>
          <Group gap={6} flex={1} miw={0}>
            <ConditionFields
              condition={condition}
              {...choices}
              onChange={(next) => onChange(replacedAt(conditions, index, next))}
            />
          </Group>
          {!isReadOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Remove the condition"
              onClick={() => onChange(conditions.filter((_, at) => at !== index))}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isReadOnly && (
        <Group gap="xs">
          <AddButton
            name="attribute"
            onClick={() =>
              add({ kind: 'compare', attribute: 'purchases.total', operator: '>', literal: '0' })
            }
          />
          {segments[0] !== undefined && (
            <AddButton
              name="segment"
              onClick={() => add({ kind: 'segment', segmentId: segments[0] ?? '', isIn: true })}
            />
          )}
          <AddButton
            name="flag"
            onClick={() => add({ kind: 'flag', flagId: flags[0] ?? 'isPayer', isSet: true })}
          />
        </Group>
      )}
    </Stack>
  );
}

function AddButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<Icon name="plus" size={12} />}
      onClick={onClick}
    >
      {name}
    </Button>
  );
}

function ConditionFields({
  condition,
  onChange,
  segments,
  flags,
  isReadOnly,
}: Choices & { condition: Condition; onChange: (condition: Condition) => void }) {
  if (condition.kind === 'compare') {
    return <CompareFields condition={condition} onChange={onChange} isReadOnly={isReadOnly} />;
  }
  const isSegment = condition.kind === 'segment';
  const value = isSegment ? condition.segmentId : condition.flagId;
  const isTrue = isSegment ? condition.isIn : condition.isSet;
  const write = (id: string, holds: boolean): Condition =>
    isSegment ? { kind: 'segment', segmentId: id, isIn: holds } : { kind: 'flag', flagId: id, isSet: holds };
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={isSegment ? 'Membership' : 'State of the flag'}
        disabled={isReadOnly}
        value={isTrue ? 'yes' : 'no'}
        data={
          isSegment
            ? [
                { value: 'yes', label: 'in segment' },
                { value: 'no', label: 'not in segment' },
              ]
            : [
                { value: 'yes', label: 'flag is set' },
                { value: 'no', label: 'flag is not set' },
              ]
        }
        onChange={({ currentTarget }) => onChange(write(value, currentTarget.value === 'yes'))}
      />
      <NativeSelect
        size="xs"
        aria-label={isSegment ? 'Segment' : 'Flag'}
        disabled={isReadOnly}
        value={value}
        data={[...new Set([...(isSegment ? segments : flags), value])]}
        onChange={({ currentTarget }) => onChange(write(currentTarget.value, isTrue))}
      />
    </>
  );
}

function CompareFields({
  condition,
  onChange,
  isReadOnly,
}: {
  condition: Extract<Condition, { kind: 'compare' }>;
  onChange: (condition: Condition) => void;
  isReadOnly: boolean;
}) {
  const { data } = useGet('listAttributes');
  const attributes = data?.attributes ?? NO_ATTRIBUTES;
  const usages = useMemo(() => usagesOf(attributes), [attributes]);
  const { attribute, operator, literal } = condition;
  // A text that is no attribute stays in the field: in the rule it would end the builder in the middle of a word.
  const [unfinished, setUnfinished] = useState<string>();
  const isText = usages.get(attribute) === 'string' || literal.startsWith('"');
  return (
    <>
      <AttributeInput
        aria-label="Attribute"
        attributes={attributes}
        disabled={isReadOnly}
        value={unfinished ?? attribute}
        onChange={(next) => {
          const isComplete = isAttributePath(next);
          setUnfinished(isComplete ? undefined : next);
          if (isComplete) onChange({ ...condition, attribute: next });
        }}
        onBlur={() => setUnfinished(undefined)}
      />
      <NativeSelect
        size="xs"
        w={110}
        aria-label="Operator"
        disabled={isReadOnly}
        value={operator}
        data={OPERATORS.map((each) => ({ value: each, label: WORDS[each] }))}
        onChange={({ currentTarget }) =>
          onChange({ ...condition, operator: currentTarget.value as Operator })
        }
      />
      <TextInput
        size="xs"
        w={110}
        aria-label="Value"
        disabled={isReadOnly}
        value={textOfLiteral(literal)}
        onChange={({ currentTarget }) =>
          onChange({ ...condition, literal: literalOf(currentTarget.value, isText) })
        }
      />
    </>
  );
}
