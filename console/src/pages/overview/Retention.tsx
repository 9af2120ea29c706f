import { Table, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { formatCount, formatDay, formatShare } from '../../lib/format.js';

const DAYS = ['1', '7', '28', '30'] as const;
/** The newest weeks: ninety rows would not show more. */
const MOST_COHORTS = 21;

/** Who came back, by the day of the first login, with the size of each cohort. A day that is not over has no number. */
export function Retention({ cohorts }: { cohorts: readonly Schemas['RetentionCohort'][] }) {
  const rows = cohorts
    .filter(({ players }) => players > 0)
    .slice(-MOST_COHORTS)
    .reverse();
  if (rows.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Retention
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label="Retention" verticalSpacing={4} maw={640}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>First login</Table.Th>
              <Table.Th ta="right">Players</Table.Th>
              {DAYS.map((day) => (
                <Table.Th key={day} ta="right">
                  Day {day}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ day, players, retention }) => (
              <Table.Tr key={day}>
                <Table.Td>{formatDay(day)}</Table.Td>
                <Table.Td ta="right">{formatCount(players)}</Table.Td>
                {DAYS.map((after) => {
                  const count = retention[after] ?? null;
                  const share = count === null ? null : count / players;
                  return (
                    <Table.Td
                      key={after}
                      ta="right"
                      title={
                        count === null ? 'not over yet' : `${formatCount(count)} of ${formatCount(players)}`
                      }
                      // Blue over the page's own colour: readable in light and dark.
                      style={
                        share === null
                          ? {}
                          : { backgroundColor: `rgba(0, 114, 178, ${Math.min(0.6, share)})` }
                      }
                    >
                      {share === null ? '·' : formatShare(share)}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        Of the players with their first login on a day: how many had an event on exactly the 1st, 7th, 28th
        and 30th UTC day after.
      </Text>
    </section>
  );
}
