import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import { useOriginals } from '../api/use-originals.js';
import { formatCount, formatMoney } from '../lib/format.js';
import { revenueSharesText } from '../lib/money.js';
import type { DryRunResult } from './use-draft-dry-run.js';

type Line = { id: string } & Pick<
  DryRunResult['offers'][number],
  'counts' | 'estimate' | 'revenueShare' | 'reportedRevenueShare' | 'examples'
>;

type Effects = Pick<DryRunResult, 'offers' | 'segments' | 'flags' | 'values' | 'experiments' | 'prices'>;

/** The prices that change, and who enters and leaves offers, segments, flags, values and arms of experiments. */
export function DryRunTables({ effects, at }: { effects: Effects /** If it is later. */; at?: string }) {
  const parts: [string, Line[]][] = [
    ['Offers', effects.offers.map(({ offerId: id, ...rest }) => ({ id, ...rest }))],
    ['Segments', effects.segments.map(({ segmentId: id, ...rest }) => ({ id, ...rest }))],
    ['Flags', effects.flags.map(({ flagId: id, ...rest }) => ({ id, ...rest }))],
    ['Values', effects.values.map(({ outcome: id, ...rest }) => ({ id, ...rest }))],
    ['Experiments', effects.experiments.map(({ arm: id, ...rest }) => ({ id, ...rest }))],
  ];
  return (
    <>
      {effects.prices.length > 0 && <Prices prices={effects.prices} />}
      {parts.map(([title, lines]) => (
        <ChangedFirst key={title} title={title} lines={lines} at={at} />
      ))}
    </>
  );
}

/** Which prices change, for how many players. */
function Prices({ prices }: { prices: DryRunResult['prices'] }) {
  const shown = (price: Schemas['ShownPrice'] | null, gone: string) =>
    price === null ? gone : formatMoney(price.price, price.currency);
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
      <Table aria-label="Prices">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Price of</Table.Th>
            <Table.Th ta="right">published</Table.Th>
            <Table.Th ta="right">draft</Table.Th>
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
    </Table.ScrollContainer>
  );
}

type TableProps = { title: string; lines: readonly Line[]; at: string | undefined };

/** Parts that change for some players are shown; the others open with a click. */
function ChangedFirst({ title, lines, at }: TableProps) {
  const isChanged = ({ counts }: Line) => counts.enter > 0 || counts.leave > 0;
  const [changed, same] = [lines.filter(isChanged), lines.filter((line) => !isChanged(line))];
  return (
    <>
      {changed.length > 0 && <DryRunTable title={title} lines={changed} at={at} />}
      {same.length > 0 && (
        <details>
          <summary>
            {title}: {formatCount(same.length)} as before, no player enters or leaves
          </summary>
          <DryRunTable title={`${title} as before`} lines={same} at={at} />
        </details>
      )}
    </>
  );
}

function DryRunTable({ title, lines, at }: TableProps) {
  const { studio, game } = useStudioAndGame();
  const [isOriginal] = useOriginals();
  return (
    <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{title}</Table.Th>
            <Table.Th ta="right">published</Table.Th>
            <Table.Th ta="right">draft</Table.Th>
            <Table.Th ta="right">enter</Table.Th>
            <Table.Th ta="right">leave</Table.Th>
            <Table.Th ta="right">revenue</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ id, counts, estimate, examples, ...shares }) => {
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
                      search={{ version: 'draft', at }}
                    >
                      example
                    </Link>
                  )}
                </Table.Td>
                <Table.Td ta="right">{formatCount(before)}</Table.Td>
                <Table.Td ta="right">{formatCount(after)}</Table.Td>
                <Table.Td ta="right">{enter === 0 ? '–' : `+${formatCount(enter)}`}</Table.Td>
                <Table.Td ta="right">{leave === 0 ? '–' : `−${formatCount(leave)}`}</Table.Td>
                <Table.Td ta="right">{revenueSharesText(shares, isOriginal) || '–'}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
