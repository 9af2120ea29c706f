import { Button, FileInput, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem, call, type DataOf } from '../../api/client.js';
import { useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { countOf } from '../../lib/format.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { FileMistakes } from '../../parts/FileMistakes.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

/** The catalogue as a file, out of the draft and into it. */
export function CatalogueFiles() {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <DownloadButton
          key={format}
          operation="exportCatalogue"
          request={{ params: { game }, query: { format } }}
          fileName={`${game}-catalogue.${format}`}
          label={`Export ${format.toUpperCase()}`}
        />
      ))}
      {isEditor && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          Import
        </Button>
      )}
      <SidePanel title="Import a catalogue" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ImportForm />
      </SidePanel>
    </>
  );
}

function ImportForm() {
  const { studio, game } = useStudioAndGame();
  const { draft, isEditedHere, refresh } = useDraft();
  const [file, setFile] = useState<File | null>(null);
  const [mode, setMode] = useState<'merge' | 'replace'>('merge');
  const [done, setDone] = useState<DataOf<'importCatalogue'> | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);

  async function send() {
    if (file === null || draft === undefined) return;
    setDone(null);
    setProblem(null);
    try {
      const text = await file.text();
      const body = file.name.endsWith('.json') ? JSON.parse(text) : text;
      const request = { params: { game }, query: { mode, revision: draft.revision }, body };
      setDone(await call('importCatalogue', request, { studio }));
      refresh();
    } catch (error) {
      const isKnown = error instanceof ApiProblem;
      setProblem(
        isKnown
          ? error
          : new ApiProblem(0, 'file_unreadable', 'The file is not valid JSON. Nothing was taken.'),
      );
    }
  }

  return (
    <Stack gap="sm">
      <Text size="sm">All of the file goes into the draft, or nothing. Players see it after publishing.</Text>
      {isEditedHere && (
        <Text c="red">Save or undo what you have typed first: the file would be refused as a conflict.</Text>
      )}
      <FileInput label="File" placeholder="CSV or JSON" accept=".csv,.json" value={file} onChange={setFile} />
      <NativeSelect
        label="What happens to the SKUs that are there"
        value={mode}
        data={[
          { value: 'merge', label: 'Those in the file are changed, the others stay' },
          { value: 'replace', label: 'The file becomes the whole catalogue' },
        ]}
        onChange={({ currentTarget }) => setMode(currentTarget.value === 'replace' ? 'replace' : 'merge')}
      />
      <ProblemNote problem={problem} />
      <FileMistakes problem={problem} />
      {done !== null && (
        <Text c="teal" role="status">
          {countOf(done.added, 'SKU')} added, {done.changed} changed, {done.removed} removed, {done.unchanged}{' '}
          as before.
        </Text>
      )}
      <Group justify="flex-end">
        <Button disabled={file === null || isEditedHere} onClick={() => void send()}>
          Import into the draft
        </Button>
      </Group>
    </Stack>
  );
}
