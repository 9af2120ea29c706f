import { Table } from '@mantine/core';
import { formatCount } from '../lib/format.js';
import type { BackTestResult } from './use-back-test.js';

type Line = { id: string } & Pick<BackTestResult['offers'][number], 'players' | 'playerDays'>;

/** Of how many players offers, segments, flags and values were true on one of the days, and of how many they would have been. */
export function BackTestMatches({ result }: { result: BackTestResult }) {
  const parts: [string, Line[]][] = [
    ['Offers', result.offers.map(({ offerId: id, ...rest }) => ({ id, ...rest }))],
    ['Segments', result.segments.map(({ segmentId: id, ...rest }) => ({ id, ...rest }))],
    ['Flags', result.flags.map(({ flagId: id, ...rest }) => ({ id, ...rest }))],
    ['Values', result.values.map(({ outcome: id, ...rest }) => ({ id, ...rest }))],
  ];
  return parts.map(([title, lines]) => <ChangedFirst key={title} title={title} lines={lines} />);
}

type TableProps = { title: string; lines: readonly Line[] };

/** What would have been the same opens with a click. */
function ChangedFirst({ title, lines }: TableProps) {
  const isSame = ({ players, playerDays }: Line) =>
    players.before === players.after && playerDays.before === playerDays.after;
  const [changed, same] = [lines.filter((line) => !isSame(line)), lines.filter(isSame)];
  return (
    <>
      {changed.length > 0 && <Matches title={title} lines={changed} />}
      {same.length > 0 && (
        <details>
          <summary>
            {title}: {formatCount(same.length)} with as many players as then
          </summary>
          <Matches title={`${title} as then`} lines={same} />
        </details>
      )}
    </>
  );
}

function Matches({ title, lines }: TableProps) {
  return (
    <Table.ScrollContainer minWidth={420} type="native" tabIndex={0}>
      <Table aria-label={`${title} on these days`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{title}</Table.Th>
            <Table.Th ta="right">players then</Table.Th>
            <Table.Th ta="right">draft</Table.Th>
            <Table.Th ta="right">their days then</Table.Th>
            <Table.Th ta="right">draft</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ id, players, playerDays }) => (
            <Table.Tr key={id}>
              <Table.Td>{id}</Table.Td>
              <Table.Td ta="right">{formatCount(players.before)}</Table.Td>
              <Table.Td ta="right">{formatCount(players.after)}</Table.Td>
              <Table.Td ta="right">{formatCount(playerDays.before)}</Table.Td>
              <Table.Td ta="right">{formatCount(playerDays.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
