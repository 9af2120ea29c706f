import { Button, Group, Stack, Text } from '@mantine/core';
import { describeChange } from '../lib/changes.js';
import type { DocumentChange } from '../lib/document.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Moment } from '../parts/texts.js';
import { Difference } from './Difference.js';
import { useDraft } from './draft-context.js';

/** Two editors changed the draft: who the other editor is, what differs, and two ways to continue. Nothing is overwritten. */
export function DraftConflict() {
  const { conflict, saveProblem, takeTheirs, putMineOnTop, decideLater } = useDraft();
  if (conflict === null) return null;
  const { theirs, conflicts } = conflict;
  const differs = (saveProblem?.details.difference ?? []) as DocumentChange[];
  const names = conflicts.map((path) =>
    describeChange({ path, change: 'changed', before: null, after: null }),
  );
  return (
    <SidePanel
      title={`${theirs.updatedBy ?? 'Another editor'} saved the draft before you`}
      isOpen
      onClose={decideLater}
      actions={
        <>
          <Button variant="default" onClick={takeTheirs}>
            Take theirs, drop mine
          </Button>
          <Button onClick={putMineOnTop}>Put mine on top</Button>
        </>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          Saved <Moment at={theirs.updatedAt} />
          {theirs.updatedByEmail === null ? '' : ` by ${theirs.updatedByEmail}`}. Nothing was overwritten, and
          what you typed is still here. “Put mine on top” keeps their changes and adds yours; then look at the
          result and save.
        </Text>
        {names.length > 0 && (
          <Text size="sm">
            You both changed {names.map(({ kind, name }) => `${kind} ${name}`.trim()).join(', ')}: there yours
            would stay.
          </Text>
        )}
        <Group>
          <Text fw={600} size="sm">
            Theirs, and yours
          </Text>
        </Group>
        <Difference changes={differs} />
      </Stack>
    </SidePanel>
  );
}
