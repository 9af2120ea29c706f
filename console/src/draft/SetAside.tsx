import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { documentDifference } from '../lib/document-difference.js';
import { countOf } from '../lib/format.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Difference } from './Difference.js';
import { useDraft } from './draft-context.js';
import { asideOnTop } from './draft-reducer.js';

/** What was typed here and not saved when the newer draft was loaded: kept in this browser until it is taken over or dropped. */
export function SetAside() {
  const { aside, document, takeOverAside, dispatch } = useDraft();
  const [isOpen, setOpen] = useState(false);
  const changes = useMemo(
    () =>
      aside === null || document === undefined
        ? []
        : documentDifference(document, asideOnTop(aside, document)),
    [aside, document],
  );
  if (aside === null) return null;
  return (
    <>
      <Button size="compact-xs" variant="light" onClick={() => setOpen(true)}>
        Show {countOf(changes.length, 'change')} of yours that {changes.length === 1 ? 'was' : 'were'} not
        saved
      </Button>
      <SidePanel
        title="Your changes that were not saved"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <>
            <Button
              variant="default"
              onClick={() => {
                setOpen(false);
                dispatch({ type: 'dropAside' });
              }}
            >
              Drop them
            </Button>
            <Button
              onClick={() => {
                setOpen(false);
                takeOverAside();
              }}
            >
              Put them on top
            </Button>
          </>
        }
      >
        <Text size="sm">
          They are kept in this browser only. “Put them on top” changes what the draft is now in this way;
          then look at the result and save.
        </Text>
        <Difference changes={changes} />
      </SidePanel>
    </>
  );
}
