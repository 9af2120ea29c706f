import { Button, Group, Stack, Text } from '@mantine/core';
import { AudienceNote } from '../../draft/AudienceNote.js';
import {
  type ConfigDocument,
  type GameValue,
  moved,
  replacedAt,
  type ValueRule,
} from '../../lib/document.js';
import { withSchedule } from '../../lib/schedule-form.js';
import { type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';
import { DecimalInput } from '../../parts/fields.js';
import { ScheduleFields } from '../../parts/ScheduleFields.js';
import { ValueInput } from '../../parts/ValueInput.js';
import { RuleEditor } from '../../rules/RuleEditor.js';

type Props = {
  value: GameValue;
  document: ConfigDocument;
  pointer: string;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (rules: ValueRule[]) => void;
};

/** The rules of a value, in the order in which they are tried. */
export function ValueRules({ value, onChange, isReadOnly, ...rest }: Props) {
  const { rules, defaultValue } = value;
  return (
    <Stack gap="lg">
      <Text fw={600}>Rules, tried in order: the first that matches decides</Text>
      {rules.map((rule, index) => (
        // Rules have no ids: one that is moved keeps the place of its inputs.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Stack key={`${index} of ${rules.length}`} gap="xs" role="group" aria-label={`Rule ${index + 1}`}>
          <ValueRuleFields
            {...rest}
            value={value}
            rule={rule}
            index={index}
            isReadOnly={isReadOnly}
            onChange={(next) => onChange(replacedAt(rules, index, next))}
          />
          {!isReadOnly && (
            <Group gap="xs">
              <Button
                size="compact-xs"
                variant="default"
                disabled={index === 0}
                onClick={() => onChange(moved(rules, index, index - 1))}
              >
                Try it earlier
              </Button>
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                onClick={() => onChange(rules.filter((_, at) => at !== index))}
              >
                Remove rule {index + 1}
              </Button>
            </Group>
          )}
        </Stack>
      ))}
      {!isReadOnly && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange([...rules, { when: null, sharePercent: 100, value: defaultValue }])}
        >
          Add rule
        </Button>
      )}
    </Stack>
  );
}

type RuleProps = Omit<Props, 'onChange'> & {
  rule: ValueRule;
  index: number;
  onChange: (rule: ValueRule) => void;
};

function ValueRuleFields({
  value,
  document,
  pointer,
  isReadOnly,
  problems,
  rule,
  index,
  onChange,
}: RuleProps) {
  const problemAt = problemAtOf(problems);
  const at = `rules/${index}`;
  return (
    <>
      <RuleEditor
        label={`Rule ${index + 1} (CEL)`}
        description="Empty: all players"
        value={rule.when ?? ''}
        isReadOnly={isReadOnly}
        document={document}
        problems={problems.filter(({ member }) => member === `${at}/when`)}
        onChange={(when) => onChange({ ...rule, when: when.trim() === '' ? null : when })}
      />
      <Group grow align="flex-start">
        <ValueInput
          label={`Value of rule ${index + 1}`}
          type={value.type}
          value={rule.value}
          error={problemAt(`${at}/value`)}
          onChange={(next) => onChange({ ...rule, value: next })}
        />
        <DecimalInput
          label="Share of these players, in percent"
          value={rule.sharePercent}
          error={problemAt(`${at}/sharePercent`)}
          onChange={(sharePercent) => onChange({ ...rule, sharePercent })}
        />
      </Group>
      <ScheduleFields
        schedule={rule.schedule}
        problemAt={(member) => problemAt(`${at}/schedule/${member}`)}
        isReadOnly={isReadOnly}
        onChange={(schedule) => onChange(withSchedule(rule, schedule))}
      />
      <AudienceNote document={document} part={{ value: { key: value.key, rule: index } }} pointer={pointer} />
    </>
  );
}
