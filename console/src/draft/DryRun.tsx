import { Alert, Button, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { usePlace } from '../api/hooks.js';
import { countOf, formatCount, formatShare } from '../lib/format.js';
import { ProblemNote } from '../parts/states.js';
import { type DryRunResult, useDryRun } from './use-dry-run.js';

/** For how many players publishing the saved draft would change something, part by part. */
export function DryRun() {
  const { isRunning, progress, result, problem, start } = useDryRun();
  useEffect(() => {
    void start({});
  }, [start]);
  return (
    <Stack gap="md">
      {isRunning && (
        <div>
          <Progress
            value={progress === null ? 0 : (100 * progress.examined) / Math.max(1, progress.total)}
            aria-label="Progress of the dry run"
            animated
          />
          <Text size="sm" c="dimmed">
            {progress === null
              ? 'Starting…'
              : `${formatCount(progress.examined)} of ${countOf(progress.total, 'player')}`}
          </Text>
        </div>
      )}
      <ProblemNote problem={problem} onRetry={() => void start({})} />
      {result !== null && <DryRunTables result={result} />}
      {result !== null && (
        <Group>
          <Button variant="default" onClick={() => void start({})}>
            Run again
          </Button>
        </Group>
      )}
    </Stack>
  );
}

type Line = { id: string } & Pick<
  DryRunResult['offers'][number],
  'counts' | 'estimate' | 'revenueShare' | 'examples'
>;

function DryRunTables({ result }: { result: DryRunResult }) {
  const { players, examined, sampled, ruleErrors } = result;
  const parts: [string, Line[]][] = [
    ['Offers', result.offers.map(({ offerId: id, ...rest }) => ({ id, ...rest }))],
    ['Segments', result.segments.map(({ segmentId: id, ...rest }) => ({ id, ...rest }))],
    ['Flags', result.flags.map(({ flagId: id, ...rest }) => ({ id, ...rest }))],
  ];
  return (
    <>
      <Text size="sm" c="dimmed">
        {sampled
          ? `Estimated from ${formatCount(examined)} of ${countOf(players, 'player')}.`
          : `Decided for all ${countOf(players, 'player')}.`}{' '}
        Nothing was changed.
      </Text>
      {ruleErrors.map(({ part, after }) => (
        <Alert key={part} color="orange" variant="light">
          The rule of {part} fails for {countOf(after, 'player')}.
        </Alert>
      ))}
      {parts.map(([title, lines]) => (
        <ChangedFirst key={title} title={title} lines={lines} />
      ))}
    </>
  );
}

/** Parts that change for some players are shown; the others open with a click. */
function ChangedFirst({ title, lines }: { title: string; lines: readonly Line[] }) {
  const isChanged = ({ counts }: Line) => counts.enter > 0 || counts.leave > 0;
  const [changed, same] = [lines.filter(isChanged), lines.filter((line) => !isChanged(line))];
  return (
    <>
      {changed.length > 0 && <DryRunTable title={title} lines={changed} />}
      {same.length > 0 && (
        <details>
          <summary>
            {title}: {formatCount(same.length)} as before, no player enters or leaves
          </summary>
          <DryRunTable title={`${title} as before`} lines={same} />
        </details>
      )}
    </>
  );
}

function DryRunTable({ title, lines }: { title: string; lines: readonly Line[] }) {
  const { studio, game } = usePlace();
  return (
    <Table aria-label={title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{title}</Table.Th>
          <Table.Th ta="right">now</Table.Th>
          <Table.Th ta="right">then</Table.Th>
          <Table.Th ta="right">enter</Table.Th>
          <Table.Th ta="right">leave</Table.Th>
          <Table.Th ta="right">revenue</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map(({ id, counts, estimate, revenueShare, examples }) => {
          const { before, after, enter, leave } = estimate ?? counts;
          const example = examples.enter[0] ?? examples.leave[0];
          return (
            <Table.Tr key={id}>
              <Table.Td>
                {id}{' '}
                {example !== undefined && (
                  <Link
                    to="/$studio/$game/players/$playerId"
                    params={{ studio, game, playerId: example }}
                    search={{ version: 'draft' }}
                  >
                    example
                  </Link>
                )}
              </Table.Td>
              <Table.Td ta="right">{formatCount(before)}</Table.Td>
              <Table.Td ta="right">{formatCount(after)}</Table.Td>
              <Table.Td ta="right">{enter === 0 ? '–' : `+${formatCount(enter)}`}</Table.Td>
              <Table.Td ta="right">{leave === 0 ? '–' : `−${formatCount(leave)}`}</Table.Td>
              <Table.Td ta="right">
                {Object.entries(revenueShare)
                  .map(([currency, share]) => `${formatShare(share)} of ${currency}`)
                  .join(', ') || '–'}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
