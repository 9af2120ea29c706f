import { NativeSelect } from '@mantine/core';
import type { ConfigDocument, CustomFlag } from '../../lib/document.js';
import { withSchedule } from '../../lib/schedule-form.js';
import { EntryPanel, type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';
import { ScheduleFields } from '../../parts/ScheduleFields.js';
import { RuleEditor } from '../../rules/RuleEditor.js';

/** A flag of the studio: its rule, and its default value. */
export function FlagPanel({
  flag,
  document,
  problems,
  onChange,
  ...rest
}: {
  flag: CustomFlag;
  document: ConfigDocument;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (flag: CustomFlag) => void;
  onRemove: () => void;
  onClose: () => void;
}) {
  const set = (change: Partial<CustomFlag>) => onChange({ ...flag, ...change });
  return (
    <EntryPanel
      {...rest}
      kind="Flag"
      id={flag.flagId}
      idMember="flagId"
      name={flag.name}
      problems={problems}
      removeLabel="Remove the flag"
      onId={(flagId) => set({ flagId })}
      onName={(name) => set({ name })}
    >
      <RuleEditor
        label="Rule (CEL)"
        description="When the flag is true. Empty: it has its default value, and only an override changes it"
        value={flag.rule ?? ''}
        isReadOnly={rest.isReadOnly}
        document={document}
        except={flag.flagId}
        problems={problems.filter(({ member }) => member === 'rule')}
        onChange={(rule) => set({ rule: rule.trim() === '' ? null : rule })}
      />
      <NativeSelect
        label="Default"
        description="The value without a rule, where the rule fails, and outside of a schedule"
        value={flag.defaultValue ? 'yes' : 'no'}
        data={['no', 'yes']}
        onChange={({ currentTarget }) => set({ defaultValue: currentTarget.value === 'yes' })}
      />
      <ScheduleFields
        schedule={flag.schedule}
        problemAt={(member) => problemAtOf(problems)(`schedule/${member}`)}
        isReadOnly={rest.isReadOnly}
        onChange={(schedule) => onChange(withSchedule(flag, schedule))}
      />
    </EntryPanel>
  );
}
