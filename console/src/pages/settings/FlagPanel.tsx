import { NativeSelect } from '@mantine/core';
import type { ConfigDocument, CustomFlag } from '../../lib/document.js';
import { EntryPanel, type EntryProblem } from '../../parts/EntryPanel.js';
import { RuleEditor } from '../../rules/RuleEditor.js';

/** A flag of the studio: when it is true, and what it is where its rule does not say. */
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
        description="When it is true. Empty: it has its default, and only an override changes it"
        value={flag.rule ?? ''}
        isReadOnly={rest.isReadOnly}
        document={document}
        except={flag.flagId}
        problems={problems.filter(({ member }) => member === 'rule')}
        onChange={(rule) => set({ rule: rule.trim() === '' ? null : rule })}
      />
      <NativeSelect
        label="Default"
        description="Without a rule, and where the rule cannot be worked out"
        value={flag.defaultValue ? 'yes' : 'no'}
        data={['no', 'yes']}
        onChange={({ currentTarget }) => set({ defaultValue: currentTarget.value === 'yes' })}
      />
    </EntryPanel>
  );
}
