import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { AudienceNote } from '../../draft/AudienceNote.js';
import type { ConfigDocument, Problem, Segment } from '../../lib/document.js';
import { countOf } from '../../lib/format.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { RuleEditor } from '../../rules/RuleEditor.js';
import { WhoEnters } from './WhoEnters.js';

type Props = {
  segment: Segment;
  document: ConfigDocument;
  /** Where the segment is in the document. */
  pointer: string;
  isReadOnly: boolean;
  problems: readonly (Problem & { member: string })[];
  usedBy: Schemas['SegmentUse'] | undefined;
  onChange: (segment: Segment) => void;
  onRemove: () => void;
  onClose: () => void;
};

export function SegmentPanel({
  segment,
  document,
  pointer,
  isReadOnly,
  problems,
  usedBy,
  onChange,
  onRemove,
  onClose,
}: Props) {
  const problemAt = (member: string) => problems.find((each) => each.member === member)?.message;
  const set = (change: Partial<Segment>) => onChange({ ...segment, ...change });
  const users =
    usedBy === undefined ? 0 : usedBy.offers.length + usedBy.segments.length + usedBy.flags.length;
  return (
    <SidePanel
      title={`Segment ${segment.segmentId}`}
      isOpen
      onClose={onClose}
      actions={
        !isReadOnly && (
          <Button variant="subtle" color="red" onClick={onRemove}>
            Remove the segment{users === 0 ? '' : ` (${countOf(users, 'rule')} ask for it)`}
          </Button>
        )
      }
    >
      <fieldset disabled={isReadOnly} className="plain">
        <Stack gap="sm">
          <Group grow align="flex-start">
            <TextInput
              label="Id"
              value={segment.segmentId}
              error={problemAt('segmentId')}
              onChange={({ currentTarget }) => set({ segmentId: currentTarget.value })}
            />
            <TextInput
              label="Name"
              value={segment.name}
              error={problemAt('name')}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
            />
          </Group>
          <RuleEditor
            label="Rule (CEL)"
            description="Who is in"
            value={segment.rule}
            isReadOnly={isReadOnly}
            segments={document.segments
              .map((each) => each.segmentId)
              .filter((id) => id !== segment.segmentId)}
            flags={['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)]}
            problems={problems.filter(({ member }) => member === 'rule')}
            onChange={(rule) => set({ rule })}
          />
          <AudienceNote
            document={document}
            part={{ segmentId: segment.segmentId }}
            pointer={pointer}
            hasExamples
          />
          <Checkbox
            label="Clients are told of it"
            checked={segment.visibleToClients}
            onChange={({ currentTarget }) => set({ visibleToClients: currentTarget.checked })}
          />
          <TextInput
            label="Priority"
            description="Segments are listed from the highest to the lowest"
            inputMode="numeric"
            value={String(segment.priority)}
            error={problemAt('priority')}
            onChange={({ currentTarget }) => {
              const priority = Number(currentTarget.value);
              if (Number.isInteger(priority)) set({ priority });
            }}
          />
          {problems
            .filter(({ member }) => member === '')
            .map(({ pointer, message }) => (
              <Text key={`${pointer} ${message}`} size="sm" c="red" role="alert">
                {message}
              </Text>
            ))}
        </Stack>
      </fieldset>
      <WhoEnters segmentId={segment.segmentId} document={document} isValid={problems.length === 0} />
    </SidePanel>
  );
}
