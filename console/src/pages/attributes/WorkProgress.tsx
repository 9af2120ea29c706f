import { Alert, Progress, Stack, Text } from '@mantine/core';
import { useGet, useStudioAndGame } from '../../api/hooks.js';

const POLL_MS = 5_000;

/** How far the published attributes have been worked out for the past; nothing when all players are done. */
export function WorkProgress() {
  const { game } = useStudioAndGame();
  const { data } = useGet('showOwnAttributes', { params: { game } }, { everyMs: POLL_MS });
  if (data === undefined || data.state !== 'working') return null;
  const { players, playersDone } = data;
  const percent = players === null || players === 0 ? 0 : Math.min(100, (playersDone / players) * 100);
  return (
    <Alert color="blue" title="The past is being worked out" mb="md">
      <Stack gap="xs">
        <Text size="sm">
          {playersDone.toLocaleString()} of {(players ?? 0).toLocaleString()} players are done. For the
          others, rules that need a new attribute do not match yet.
        </Text>
        <Progress value={percent} aria-label="Players that are done" />
      </Stack>
    </Alert>
  );
}
