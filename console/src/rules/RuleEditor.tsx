import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ruleChoices } from '../lib/attribute-usages.js';
import type { ConfigDocument, Problem } from '../lib/document.js';
import { keysOf, unseenValues } from '../lib/known-values.js';
import { readRule, writeRule } from '../lib/rule.js';
import { AttributeHelp } from './AttributeHelp.js';
import { RuleBuilder } from './RuleBuilder.js';
import { RuleText } from './RuleText.js';
import { useAttributes } from './use-attributes.js';
import { useKnownValues } from './use-known-values.js';

type Props = {
  label: string;
  description: string;
  value: string;
  problems: readonly Problem[];
  /** Whose segments and flags a rule may name, and whose currencies. */
  document: Pick<ConfigDocument, 'segments' | 'flags' | 'catalogue'>;
  /** The segment or flag that the rule is of: it cannot name itself. */
  except?: string;
  isReadOnly: boolean;
  onChange: (rule: string) => void;
};

/** A rule as conditions and as CEL text; each edits the other. Mistakes are shown where they are in the text. */
export function RuleEditor({
  label,
  description,
  value,
  problems,
  onChange,
  isReadOnly,
  document,
  except,
}: Props) {
  const attributes = useAttributes();
  const known = useKnownValues(document);
  const choices = useMemo(
    () => ruleChoices(attributes, document, keysOf(known), except),
    [attributes, document, known, except],
  );
  const clauses = readRule(value);
  const [isHelpOpen, setHelpOpen] = useState(false);
  return (
    <Stack gap="xs">
      {clauses === undefined ? (
        <Text size="sm" c="dimmed">
          This rule is more than conditions joined by “and” and “or”, so it is edited as text.
        </Text>
      ) : (
        <RuleBuilder
          clauses={clauses}
          known={known}
          segments={document.segments.map(({ segmentId }) => segmentId).filter((id) => id !== except)}
          flags={['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)].filter(
            (id) => id !== except,
          )}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(writeRule(next))}
        />
      )}
      <RuleText
        label={label}
        description={description}
        value={value}
        choices={choices}
        readOnly={isReadOnly}
        onChange={onChange}
        error={problems.length > 0}
      />
      {problems.map((problem) => (
        <RuleProblem key={`${problem.pointer} ${problem.message}`} problem={problem} rule={value} />
      ))}
      {unseenValues(value, known).map((sentence) => (
        <Text key={sentence} size="sm" c="orange" role="status">
          {sentence}
        </Text>
      ))}
      <Group gap="xs">
        <Anchor component="button" type="button" size="sm" onClick={() => setHelpOpen(!isHelpOpen)}>
          {isHelpOpen ? 'Hide the attributes' : 'What can a rule ask?'}
        </Anchor>
      </Group>
      {isHelpOpen && (
        <AttributeHelp
          {...(isReadOnly
            ? {}
            : {
                onPick: (usage: string) =>
                  onChange(value.trim() === '' ? usage : `${value.trimEnd()} && ${usage}`),
              })}
        />
      )}
    </Stack>
  );
}

/** The line of the rule, with a mark where the mistake is. */
export function RuleProblem({ problem, rule }: { problem: Problem; rule: string }) {
  const { position, message } = problem;
  const line = position === null ? undefined : rule.split('\n')[position.line - 1];
  return (
    <div role="alert">
      {position !== null && line !== undefined && (
        <pre className="source mono">
          {line.slice(0, position.column - 1)}
          <span className="mark">{line.slice(position.column - 1, position.column) || ' '}</span>
          {line.slice(position.column)}
        </pre>
      )}
      <Text size="sm" c="red">
        {position === null ? '' : `Line ${position.line}, column ${position.column}: `}
        {message}
      </Text>
    </div>
  );
}
