import { Button, Code, FileInput, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useNewestJob } from '../../api/use-newest-job.js';
import { outcomeOf, titleOf } from '../../lib/jobs.js';
import { FileMistakes } from '../../parts/FileMistakes.js';
import { JobEnd, JobProgress } from '../../parts/JobProgress.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

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
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [file, setFile] = useState<File | null>(null);
  const { job, look } = useNewestJob('override_import', () => refresh());
  const upload = useApiMutation('importOverrides', { onDone: look });
  const isRunning = job?.state === 'running';

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
      <ProblemNote problem={upload.error} />
      <FileMistakes problem={upload.error} />
      {isRunning && <JobProgress job={job} doing={titleOf(job)} />}
      {job !== undefined && upload.error === null && <JobEnd job={job} outcome={outcomeOf(job)} />}
      <Group justify="flex-end">
        <Button
          disabled={file === null || isRunning}
          loading={upload.isPending}
          onClick={async () => {
            if (file === null) return;
            const body = await file.text();
            upload.mutate({ params: { game }, query: { background: 'true' }, body });
          }}
        >
          Set the flags
        </Button>
      </Group>
    </Stack>
  );
}
