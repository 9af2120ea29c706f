import { Button, Group, Stack, Text } from '@mantine/core';
import { JobEnd, JobProgress } from '../parts/JobProgress.js';
import { ProblemNote } from '../parts/states.js';
import { Moment } from '../parts/texts.js';
import { DryRunResultView } from './DryRunResultView.js';
import { useDraftDryRun } from './use-draft-dry-run.js';

/** For how many players publishing the saved draft would change something, part by part. It goes on when the panel is closed. */
export function DryRun() {
  const { running, isOfOlderDraft, ended, result, problem, start } = useDraftDryRun();
  return (
    <Stack gap="md">
      {running !== undefined && (
        <JobProgress
          job={running}
          doing={isOfOlderDraft ? 'A dry run of an older draft runs' : 'Deciding for all players'}
        />
      )}
      <ProblemNote problem={problem} onRetry={start} />
      {ended !== undefined && ended.state !== 'done' && <JobEnd job={ended} outcome="" />}
      {result !== undefined && <DryRunResultView result={result} />}
      {ended !== undefined && (
        <Group gap="sm">
          <Button size="xs" variant="default" onClick={start}>
            Run again
          </Button>
          {ended.state === 'done' && (
            <Text size="xs" c="dimmed">
              {ended.createdBy}, <Moment at={ended.finishedAt} />
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}
