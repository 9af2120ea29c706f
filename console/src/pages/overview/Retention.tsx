import { Table, Text, Title } from '@mantine/core';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { formatCount, formatDays, formatShare } from '../../lib/format.js';
import { firstCohortDay, RETENTION_DAYS, retentionRows } from '../../lib/retention.js';
import { Loaded } from '../../parts/states.js';
import { TableScroll } from '../../parts/TableScroll.js';

/** A number appears when a day is over, and today's new players are the only row that changes before. */
const LOOK_AGAIN_MS = 60_000;

/** Which players came back, by the day or week of their start (first login or first event), with the size of each cohort. */
export function Retention({ today, span }: { today: string; span?: { from: string; to: string } }) {
  const { game } = useStudioAndGame();
  // The time range of the page does not shorten it: day 30 of most cohorts would be missing.
  const query = span ?? { from: firstCohortDay(today), to: today };
  const cohorts = useGet(
    'getDashboard',
    { params: { game }, query },
    { everyMs: LOOK_AGAIN_MS, keepPrevious: true },
  );
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Retention
      </Title>
      <Loaded query={cohorts} height={360}>
        {(data) => <HeatMap rows={retentionRows(data.cohorts, today)} />}
      </Loaded>
    </section>
  );
}

function HeatMap({ rows }: { rows: ReturnType<typeof retentionRows> }) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No player started in the last two months.
      </Text>
    );
  }
  return (
    <>
      <TableScroll label="Retention" minWidth={330}>
        <Table aria-label="Retention" verticalSpacing={4} horizontalSpacing={6} maw={640}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Start</Table.Th>
              <Table.Th ta="right">Players</Table.Th>
              {RETENTION_DAYS.map((day) => (
                <Table.Th key={day} ta="right">
                  D{day}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ from, to, players, retained }) => (
              <Table.Tr key={from}>
                <Table.Td className="nowrap">{formatDays(from, to)}</Table.Td>
                <Table.Td ta="right">{formatCount(players)}</Table.Td>
                {RETENTION_DAYS.map((day) => (
                  <Share key={day} count={retained[day]} players={players} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      <Text size="xs" c="dimmed">
        Of the players who started (first login or first event) on a day, or in a week before the last one:
        how many had an event on exactly the 1st, 7th, 28th and 30th UTC day after. A number is there once
        that day is over for all of them.
      </Text>
    </>
  );
}

function Share({ count, players }: { count: number | null; players: number }) {
  if (count === null) {
    return (
      <Table.Td ta="right" title="not over yet">
        ·
      </Table.Td>
    );
  }
  const share = count / players;
  return (
    <Table.Td
      ta="right"
      title={`${formatCount(count)} of ${formatCount(players)}`}
      // Blue over the page's own colour: readable in light and dark.
      style={{ backgroundColor: `rgba(0, 114, 178, ${Math.min(0.6, share)})` }}
    >
      {formatShare(share)}
    </Table.Td>
  );
}
