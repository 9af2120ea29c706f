import { Checkbox, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { AudienceNote } from '../../draft/AudienceNote.js';
import type { ConfigDocument, Segment } from '../../lib/document.js';
import { countOf } from '../../lib/format.js';
import { EntryPanel, type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';
import { RuleEditor } from '../../rules/RuleEditor.js';
import { Trend } from './Trend.js';
import { WhoEnters } from './WhoEnters.js';

type Props = {
  segment: Segment;
  document: ConfigDocument;
  /** Where the segment is in the document. */
  pointer: string;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  /** Its size as published, day by day. */
  days: readonly { day: string; players: number }[];
  usedBy: Schemas['SegmentUse'] | undefined;
  onChange: (segment: Segment) => void;
  onRemove: () => void;
  onClose: () => void;
};

export function SegmentPanel({
  segment,
  document,
  pointer,
  problems,
  days,
  usedBy,
  onChange,
  ...rest
}: Props) {
  const set = (change: Partial<Segment>) => onChange({ ...segment, ...change });
  const { segmentId } = segment;
  const users =
    usedBy === undefined ? 0 : usedBy.offers.length + usedBy.segments.length + usedBy.flags.length;
  return (
    <EntryPanel
      {...rest}
      kind="Segment"
      id={segmentId}
      idMember="segmentId"
      name={segment.name}
      problems={problems}
      removeLabel={`Remove the segment${users === 0 ? '' : ` (${countOf(users, 'rule')} ask for it)`}`}
      onId={(next) => set({ segmentId: next })}
      onName={(name) => set({ name })}
      below={
        <>
          <Trend sizes={days} />
          <WhoEnters segmentId={segmentId} document={document} isValid={problems.length === 0} />
        </>
      }
    >
      <RuleEditor
        label="Rule (CEL)"
        description="Who is in"
        value={segment.rule}
        isReadOnly={rest.isReadOnly}
        document={document}
        except={segmentId}
        problems={problems.filter(({ member }) => member === 'rule')}
        onChange={(rule) => set({ rule })}
      />
      <AudienceNote document={document} part={{ segmentId }} pointer={pointer} hasExamples />
      <Checkbox
        label="Clients get this segment"
        checked={segment.visibleToClients}
        onChange={({ currentTarget }) => set({ visibleToClients: currentTarget.checked })}
      />
      <TextInput
        label="Priority"
        description="Segments are listed from the highest to the lowest"
        inputMode="numeric"
        value={String(segment.priority)}
        error={problemAtOf(problems)('priority')}
        onChange={({ currentTarget }) => {
          const priority = Number(currentTarget.value);
          if (Number.isInteger(priority)) set({ priority });
        }}
      />
    </EntryPanel>
  );
}
