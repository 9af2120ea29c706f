import { Button, Radio, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { describeClash } from '../lib/changes.js';
import { documentDifference } from '../lib/document-difference.js';
import { type Choices, type Clash, mergeDocuments, type Side } from '../lib/merge.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Moment } from '../parts/texts.js';
import { Difference } from './Difference.js';
import { useDraft } from './draft-context.js';
import type { Conflict, Working } from './draft-reducer.js';

/** Two editors changed the draft: who the other editor is, what each changed, and two ways to continue. Nothing is overwritten. */
export function DraftConflict() {
  const { working, conflict } = useDraft();
  return working === null || conflict === null ? null : <BothSides working={working} conflict={conflict} />;
}

function BothSides({
  working: { base, document: mine },
  conflict: { theirs, choices },
}: {
  working: Working;
  conflict: Conflict;
}) {
  const { loadTheirs, dispatch } = useDraft();
  const found = useMemo(
    () => ({
      ...mergeDocuments(base.document, mine, theirs.document),
      mine: documentDifference(base.document, mine),
      theirs: documentDifference(base.document, theirs.document),
    }),
    [base, mine, theirs],
  );
  return (
    <SidePanel
      title={`${theirs.updatedBy ?? 'Another editor'} saved the draft before you`}
      isOpen
      onClose={() => dispatch({ type: 'decideLater' })}
      actions={
        <>
          <Button variant="default" onClick={loadTheirs}>
            Load theirs, set mine aside
          </Button>
          <Button onClick={() => dispatch({ type: 'putMineOnTop' })}>Put mine on top</Button>
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
        <Clashes
          clashes={found.clashes}
          choices={choices}
          onChoose={(key, side) => dispatch({ type: 'choose', key, side })}
        />
        <Text fw={600} size="sm">
          Yours, not saved
        </Text>
        <Difference changes={found.mine} />
        <Text fw={600} size="sm">
          Theirs, saved
        </Text>
        <Difference changes={found.theirs} />
      </Stack>
    </SidePanel>
  );
}

/** The values that both changed, each with a choice. */
function Clashes({
  clashes,
  choices,
  onChoose,
}: {
  clashes: readonly Clash[];
  choices: Choices;
  onChoose: (key: string, side: Side) => void;
}) {
  if (clashes.length === 0) return <Text size="sm">You changed different things: both are kept.</Text>;
  return (
    <>
      <Text fw={600} size="sm">
        You both changed, choose one
      </Text>
      {clashes.map((clash) => {
        const { label, base, mine, theirs } = describeClash(clash);
        return (
          <Radio.Group
            key={clash.key}
            label={label}
            description={base === null ? undefined : `was ${base}`}
            value={choices[clash.key] ?? 'mine'}
            onChange={(side) => onChoose(clash.key, side as Side)}
          >
            <Stack gap={4} mt={4}>
              <Radio size="xs" value="mine" label={`Yours: ${mine}`} />
              <Radio size="xs" value="theirs" label={`Theirs: ${theirs}`} />
            </Stack>
          </Radio.Group>
        );
      })}
    </>
  );
}
