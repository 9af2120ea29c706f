import { Button, Code, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, type Schemas, send } from '../../api/client.js';
import { usePlace } from '../../api/hooks.js';
import { jsonLines } from '../../api/json-lines.js';
import { useRole } from '../../api/session.js';
import { formatCount } from '../../lib/format.js';
import { FileMistakes } from '../../parts/FileMistakes.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

type Counts = Schemas['OverrideImportProgress'];

/** Flags of many players at once, from a file. */
export function OverrideImport() {
  const { isEditor } = useRole();
  const [isOpen, setOpen] = useState(false);
  if (!isEditor) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Set flags from a file
      </Button>
      <SidePanel title="Set flags from a file" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ImportForm />
      </SidePanel>
    </>
  );
}

function ImportForm() {
  const { studio, game } = usePlace();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [state, setState] = useState<{ isRunning: boolean; counts?: Counts; problem?: ApiProblem }>();
  const counts = state?.counts;

  async function upload() {
    if (file === null) return;
    setState({ isRunning: true });
    try {
      const body = await file.text();
      const response = await send('importOverrides', { params: { game }, body }, { studio });
      for await (const line of jsonLines(response)) {
        const { progress, result, error } = line as {
          progress?: Counts;
          result?: Counts;
          error?: { code: string; message: string };
        };
        if (error !== undefined) throw new ApiProblem(500, error.code, error.message);
        const now = result ?? progress;
        if (now !== undefined) setState({ isRunning: result === undefined, counts: now });
      }
      queries.invalidateQueries({ queryKey: [studio] });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setState({ isRunning: false, problem: error });
    }
  }

  return (
    <Stack gap="sm">
      <Text size="sm">
        A CSV file with a row for each flag of each player. All rows are checked first: with anything wrong,
        nothing is changed. The same file may be sent again.
      </Text>
      <Code block>playerId,flagId,value,reason,until</Code>
      <Text size="xs" c="dimmed">
        value is true, false, or clear to let the rule decide again; until may be empty.
      </Text>
      <FileInput label="File" placeholder="CSV" accept=".csv" value={file} onChange={setFile} />
      <ProblemNote problem={state?.problem} />
      <FileMistakes problem={state?.problem} />
      {counts !== undefined && (
        <>
          <Progress
            aria-label="Progress of the import"
            value={(100 * (counts.set + counts.cleared + counts.unchanged)) / Math.max(1, counts.total)}
          />
          <Text size="sm" role="status">
            {formatCount(counts.set)} set, {formatCount(counts.cleared)} cleared,{' '}
            {formatCount(counts.unchanged)} as before.
          </Text>
        </>
      )}
      <Group justify="flex-end">
        <Button disabled={file === null} loading={state?.isRunning ?? false} onClick={() => void upload()}>
          Set the flags
        </Button>
      </Group>
    </Stack>
  );
}
