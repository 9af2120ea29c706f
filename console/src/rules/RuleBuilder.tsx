import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { replacedAt } from '../lib/document.js';
import type { Clause, Condition } from '../lib/rule.js';
import { Icon } from '../parts/Icon.js';
import { type ConditionChoices, ConditionFields } from './ConditionFields.js';

type Props = ConditionChoices & { clauses: readonly Clause[]; onChange: (clauses: Clause[]) => void };

/** Clauses that all have to hold. A clause is one condition, or several of which one has to hold; each is a line. */
export function RuleBuilder({ clauses, onChange, ...choices }: Props) {
  const add = (condition: Condition) => onChange([...clauses, [condition]]);
  const { segments, flags, isReadOnly } = choices;
  return (
    <Stack gap={6}>
      {clauses.length === 0 && (
        <Text size="sm" c="dimmed">
          No condition: all players.
        </Text>
      )}
      {clauses.map((clause, index) => (
        <ClauseFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a clause has no id, and two may be the same
          key={index}
          word={index === 0 ? 'if' : 'and'}
          clause={clause}
          {...choices}
          onChange={(next) =>
            onChange(
              next.length === 0 ? clauses.filter((_, at) => at !== index) : replacedAt(clauses, index, next),
            )
          }
        />
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

type ClauseProps = ConditionChoices & { word: string; clause: Clause; onChange: (clause: Clause) => void };

function ClauseFields({ word, clause, onChange, ...choices }: ClauseProps) {
  return clause.map((condition, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no id, and two may be the same
    <Group key={index} gap={6} wrap="nowrap" align="flex-start" {...(index > 0 && { pl: 20 })}>
      <Text size="sm" w={32} pt={4} c="dimmed">
        {index === 0 ? word : 'or'}
      </Text>
      <Group gap={6} flex={1} miw={0} align="flex-start">
        <ConditionFields
          condition={condition}
          {...choices}
          onChange={(next) => onChange(replacedAt(clause, index, next))}
        />
      </Group>
      {!choices.isReadOnly && (
        <Group gap={2} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label="or: add an alternative"
            // A copy: alternatives are mostly about the same attribute or list.
            onClick={() => onChange([...clause.slice(0, index + 1), condition, ...clause.slice(index + 1)])}
          >
            or
          </Button>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Remove the condition"
            onClick={() => onChange(clause.filter((_, at) => at !== index))}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </Group>
      )}
    </Group>
  ));
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
