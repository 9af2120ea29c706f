import { Alert, Card, Group, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useOriginals } from '../../api/use-originals.js';
import { formatCount, formatDay, formatMoney, formatShare } from '../../lib/format.js';
import { describeDifference, mismatchInWords } from '../../lib/holdout.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Loaded } from '../../parts/states.js';
import { HiddenHeader, TableScroll } from '../../parts/TableScroll.js';

type Comparison = Schemas['HoldoutComparison'];

/** Does targeting work? While the store holds no players out, it says where to begin. */
export function Holdout() {
  const { studio, game } = useStudioAndGame();
  const holdout = useGet('getHoldout', { params: { game } });
  return (
    <section id="holdout">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Does targeting work?
        </Title>
        {holdout.data?.state === 'compared' && (
          <DownloadButton
            operation="getHoldout"
            request={{ params: { game }, query: { format: 'csv' } }}
            fileName={`${game}-holdout.csv`}
            label="CSV"
          />
        )}
      </Group>
      <Loaded query={holdout} height={120}>
        {({ state, comparison, holdoutPercent }) =>
          state === 'off' ? (
            <Text size="sm" c="dimmed">
              Nobody is held out, so it cannot be told what offers are worth.{' '}
              <Link to="/$studio/$game/store" params={{ studio, game }} search={{ tab: 'offers' }}>
                Hold some players out
              </Link>
              , and they are compared with the others from the first whole UTC day on.
            </Text>
          ) : comparison === null ? (
            <Text size="sm" c="dimmed">
              {holdoutPercent}% of the players are held out. They are compared with the others once a day,
              from the first whole UTC day on.
            </Text>
          ) : (
            <Compared comparison={comparison} />
          )
        }
      </Loaded>
    </section>
  );
}

/** Revenue of all currencies. */
function reportedRow({ currency, targeted, heldOut, difference, missing }: Schemas['ReportedHoldout']) {
  const money = (value: number) => formatMoney(value, currency);
  const without = missing.length === 0 ? '' : `, without some payments in ${missing.join(', ')}: no rate`;
  return {
    name: `Revenue per player, ${currency}${without}`,
    values: [targeted, heldOut].map((mean) => (mean === null ? '–' : money(mean))),
    difference: describeDifference(difference, money),
  };
}

function Compared({ comparison }: { comparison: Comparison }) {
  const { heldOut, targeted, conversion, revenuePerPlayer, from, to, holdoutPercent, reported } = comparison;
  const [isOriginal] = useOriginals();
  const share = (value: number | null) => (value === null ? '–' : formatShare(value));
  const rows = [
    {
      name: 'Conversion',
      values: [share(targeted.conversion), share(heldOut.conversion)],
      difference: describeDifference(conversion, formatShare),
    },
    ...(reported === null || isOriginal ? [] : [reportedRow(reported)]),
    ...Object.entries(reported === null || isOriginal ? revenuePerPlayer : {}).map(
      ([currency, difference]) => {
        const money = (value: number) => formatMoney(value, currency);
        return {
          name: `Revenue per player, ${currency}`,
          values: [targeted, heldOut].map((group) => money(group.revenuePerPlayer[currency] ?? 0)),
          difference: describeDifference(difference, money),
        };
      },
    ),
  ];
  const mismatch = mismatchInWords(comparison);
  return (
    <Card withBorder padding="sm">
      {mismatch !== undefined && (
        <Alert color="red" mb="sm" title="The groups cannot be compared">
          {mismatch}
        </Alert>
      )}
      <TableScroll label="Held out against the rest" minWidth={560}>
        <Table aria-label="Held out against the rest" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <HiddenHeader text="Number" />
              <Table.Th ta="right">Targeted, {formatCount(targeted.players)} players</Table.Th>
              <Table.Th ta="right">Held out, {formatCount(heldOut.players)} players</Table.Th>
              <Table.Th>Difference, with its 95% interval</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, values, difference }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ta="right">{values[0]}</Table.Td>
                <Table.Td ta="right">{values[1]}</Table.Td>
                <Table.Td>{difference}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      <Text size="xs" c="dimmed">
        {formatDay(from)} to {formatDay(to)}, all players whom the game knows, whether they played or not;{' '}
        {holdoutPercent}% always get the untargeted store. The intervals may be looked at every day: on all
        days together they are right in 95% of games.
      </Text>
    </Card>
  );
}
