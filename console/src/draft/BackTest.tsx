import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { JobEnd, JobProgress } from '../parts/JobProgress.js';
import { ProblemNote } from '../parts/states.js';
import { Moment } from '../parts/texts.js';
import { BackTestResultView } from './BackTestResultView.js';
import { useBackTest } from './use-back-test.js';

const DAYS = ['7', '14', '28'];

/** What the saved draft would have done on the last days. It goes on when the panel is closed. */
export function BackTest() {
  const { running, ended, isOfOlderDraft, result, problem, start } = useBackTest();
  const [days, setDays] = useState('14');
  return (
    <Stack gap="md">
      <Text size="sm">
        A sample of players is rebuilt from their own events as they were at the start of each day, and
        decided for again with the draft. Nothing is changed.
      </Text>
      {running !== undefined && <JobProgress job={running} doing="Rebuilding players" />}
      <ProblemNote problem={problem} onRetry={() => start(Number(days))} />
      {running === undefined && (
        <Group gap="sm" align="end">
          <Select
            label="Days before today"
            size="xs"
            w={140}
            data={DAYS}
            value={days}
            allowDeselect={false}
            onChange={(value) => setDays(value ?? '14')}
          />
          <Button
            size="xs"
            variant={result === undefined ? 'filled' : 'default'}
            onClick={() => start(Number(days))}
          >
            {ended === undefined ? 'Run the back-test' : 'Run again'}
          </Button>
          {ended?.state === 'done' && (
            <Text size="xs" c="dimmed">
              {ended.createdBy}, <Moment at={ended.finishedAt} />
            </Text>
          )}
        </Group>
      )}
      {ended !== undefined && ended.state !== 'done' && <JobEnd job={ended} outcome="" />}
      {isOfOlderDraft && result !== undefined && (
        <Alert color="orange" variant="light">
          This is not about the draft as it is now. Run it again.
        </Alert>
      )}
      {result !== undefined && <BackTestResultView result={result} />}
    </Stack>
  );
}
