import { Button, Group, Stack, Text } from '@mantine/core';
import { useDryRun } from '../../draft/use-dry-run.js';
import type { ConfigDocument } from '../../lib/document.js';
import { countOf, formatCount } from '../../lib/format.js';
import { PlayerLink } from '../../parts/PlayerLink.js';
import { ProblemNote } from '../../parts/states.js';

/** Enough for a share with an error below one percent, in well under a second. */
const SAMPLE = 20_000;

/** Who would enter and leave with the rule as it is typed, in numbers and with examples to look at. */
export function WhoEnters({
  segmentId,
  document,
  isValid,
}: {
  segmentId: string;
  document: ConfigDocument;
  isValid: boolean;
}) {
  const { result, isRunning, problem, start } = useDryRun();
  const found = result?.segments.find((each) => each.segmentId === segmentId);
  const counts = found?.estimate ?? found?.counts;
  return (
    <Stack gap="xs">
      <Group>
        <Button
          size="xs"
          variant="default"
          loading={isRunning}
          disabled={!isValid}
          onClick={() => void start({ document, sample: SAMPLE, later: false })}
        >
          Who enters, who leaves?
        </Button>
        {result !== null && counts !== undefined && (
          <Text size="sm" role="status">
            {formatCount(counts.after)} of {countOf(result.players, 'player')}
            {result.sampled ? ' (estimated)' : ''}: {formatCount(counts.enter)} enter,{' '}
            {formatCount(counts.leave)} leave
          </Text>
        )}
      </Group>
      <ProblemNote problem={problem} />
      {found !== undefined && (
        <>
          <Examples label="Enter" players={found.examples.enter} />
          <Examples label="Leave" players={found.examples.leave} />
        </>
      )}
    </Stack>
  );
}

function Examples({ label, players }: { label: string; players: readonly string[] }) {
  if (players.length === 0) return null;
  return (
    <Text size="sm">
      {label}:{' '}
      {players.map((playerId) => (
        <PlayerLink key={playerId} playerId={playerId} />
      ))}
    </Text>
  );
}
