import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { countOf } from '../lib/format.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Difference } from './Difference.js';
import { useDraft } from './draft-context.js';

/** What was typed here and not saved when the newer draft was loaded: kept in this window until it is taken over or dropped. */
export function SetAside() {
  const { aside, takeOverAside, dropAside } = useDraft();
  const [isOpen, setOpen] = useState(false);
  if (aside === null) return null;
  return (
    <>
      <Button size="compact-xs" variant="light" onClick={() => setOpen(true)}>
        Show {countOf(aside.changes.length, 'change')} of yours that{' '}
        {aside.changes.length === 1 ? 'was' : 'were'} not saved
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
                dropAside();
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
          They are kept in this window only. “Put them on top” adds them to what the draft is now; then look
          at the result and save.
        </Text>
        <Difference changes={aside.changes} />
      </SidePanel>
    </>
  );
}
