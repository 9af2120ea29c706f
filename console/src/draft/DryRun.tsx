import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import { countOf, formatCount, formatMoney, formatShare } from '../lib/format.js';
import { JobEnd, JobProgress } from '../parts/JobProgress.js';
import { ProblemNote } from '../parts/states.js';
import { Moment } from '../parts/texts.js';
import { type DryRunResult, useDraftDryRun } from './use-draft-dry-run.js';

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
      {result !== undefined && <DryRunTables result={result} />}
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
      <Prices prices={result.prices} />
      {parts.map(([title, lines]) => (
        <ChangedFirst key={title} title={title} lines={lines} />
      ))}
    </>
  );
}

/** Which prices change, for how many players. */
function Prices({ prices }: { prices: DryRunResult['prices'] }) {
  if (prices.length === 0) return <Text size="sm">No player sees another price.</Text>;
  const shown = (price: Schemas['ShownPrice'] | null, gone: string) =>
    price === null ? gone : formatMoney(price.price, price.currency);
  return (
    <Table aria-label="Prices">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Price of</Table.Th>
          <Table.Th ta="right">now</Table.Th>
          <Table.Th ta="right">then</Table.Th>
          <Table.Th ta="right">players</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {prices.map(({ skuId, from, to, players, estimate }) => (
          <Table.Tr key={JSON.stringify([skuId, from, to])}>
            <Table.Td>{skuId}</Table.Td>
            <Table.Td ta="right">{shown(from, 'not shown')}</Table.Td>
            <Table.Td ta="right">{shown(to, 'hidden')}</Table.Td>
            <Table.Td ta="right">{formatCount(estimate ?? players)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
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
  const { studio, game } = useStudioAndGame();
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
