import { Button, FileInput, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, useRefresh } from '../../api/hooks.js';
import { FileMistakes } from '../../parts/FileMistakes.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';

/** Rates from a CSV file, as the next version. */
export function RateImport({ version, isEdited }: { version: number; isEdited: boolean }) {
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const [file, setFile] = useState<File | null>(null);
  const [mode, setMode] = useState<'merge' | 'replace'>('merge');
  const send = useApiMutation('importRates', {
    onDone: () => {
      setOpen(false);
      refresh();
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Import
      </Button>
      <SidePanel title="Import exchange rates" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Stack gap="sm">
          <Text size="sm">All of the file becomes the next version, or nothing. A file looks like this:</Text>
          <CopyableCode text={'currency,from,rate\nEUR,2026-10-01,1.07\nEUR,2026-11-01,1.09'} />
          {isEdited && <Text c="red">Save or undo what you have typed first: it would be lost.</Text>}
          <FileInput label="File" placeholder="CSV" accept=".csv" value={file} onChange={setFile} />
          <NativeSelect
            label="What happens to the rates that are there"
            value={mode}
            data={[
              { value: 'merge', label: 'Those in the file are changed, the others stay' },
              { value: 'replace', label: 'The file becomes the whole table' },
            ]}
            onChange={({ currentTarget }) => setMode(currentTarget.value === 'replace' ? 'replace' : 'merge')}
          />
          <ProblemNote problem={send.error} />
          <FileMistakes problem={send.error} />
          <Group justify="flex-end">
            <Button
              disabled={file === null || isEdited}
              loading={send.isPending}
              onClick={async () => {
                if (file === null) return;
                send.mutate({ query: { basedOn: version, mode }, body: await file.text() });
              }}
            >
              Import as version {version + 1}
            </Button>
          </Group>
        </Stack>
      </SidePanel>
    </>
  );
}
