import { Button, Stack, Text } from '@mantine/core';
import { describeChange } from '../lib/changes.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Moment } from '../parts/texts.js';
import { Difference } from './Difference.js';
import { useDraft } from './draft-context.js';

/** Two editors changed the draft: who the other editor is, what differs, and two ways to continue. Nothing is overwritten. */
export function DraftConflict() {
  const { conflict, loadTheirs, putMineOnTop, decideLater } = useDraft();
  if (conflict === null) return null;
  const { theirs, conflicts, changes } = conflict;
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
          <Button variant="default" onClick={loadTheirs}>
            Load theirs, set mine aside
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
          result and save. “Load theirs” keeps yours in this window, so that you can take them over later.
        </Text>
        {names.length > 0 && (
          <Text size="sm">
            You both changed {names.map(({ kind, name }) => `${kind} ${name}`.trim()).join(', ')}: there yours
            would stay.
          </Text>
        )}
        <Text fw={600} size="sm">
          Yours, not saved
        </Text>
        <Difference changes={changes.mine} />
        <Text fw={600} size="sm">
          Theirs, saved
        </Text>
        <Difference changes={changes.theirs} />
      </Stack>
    </SidePanel>
  );
}
