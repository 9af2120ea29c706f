import { Group, Text, Title } from '@mantine/core';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { formatCount, formatDay, formatShare } from '../../lib/format.js';
import { figureIn } from '../../lib/money.js';
import { type Column, DataTable } from '../../parts/DataTable.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Money, MoneyNote, OriginalsSwitch } from '../../parts/Money.js';
import { Loaded } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

type Numbers = DataOf<'getSegmentNumbers'>;
type Row = Numbers['all'] & { segmentId: string | null; name: string };

/** How many players there are is told above, by a count of its own: two counts a few minutes apart would seem to contradict each other. */
const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', header: 'Players of', cell: ({ name }) => name },
  {
    id: 'active',
    header: 'Active',
    isNumber: true,
    cell: ({ activePlayers }) => formatCount(activePlayers),
  },
  {
    id: 'payers',
    header: 'Payers',
    isNumber: true,
    cell: ({ payingPlayers }) => formatCount(payingPlayers),
  },
  {
    id: 'conversion',
    header: 'Conversion',
    isNumber: true,
    cell: ({ conversion }) => (conversion === null ? '–' : formatShare(conversion)),
  },
  {
    id: 'revenue',
    header: 'Revenue',
    isNumber: true,
    cell: ({ revenue, reported }) => <Money paid={revenue} reported={figureIn(reported)} />,
  },
  {
    id: 'perActive',
    header: 'Per active player',
    isNumber: true,
    cell: ({ revenuePerActivePlayer, reported }) => (
      <Money paid={revenuePerActivePlayer} reported={figureIn(reported, 'revenuePerActivePlayer')} isShort />
    ),
  },
  {
    id: 'perPayer',
    header: 'Per payer',
    isNumber: true,
    cell: ({ revenuePerPayingPlayer, reported }) => (
      <Money paid={revenuePerPayingPlayer} reported={figureIn(reported, 'revenuePerPayingPlayer')} isShort />
    ),
  },
];

/** What the players who are in each published segment now did in the last 28 days, beside all players. */
export function SegmentNumbers() {
  const { game } = useStudioAndGame();
  const numbers = useGet('getSegmentNumbers', { params: { game } });
  return (
    <section aria-label="What their players do">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          What their players do
        </Title>
        <Group gap="sm">
          <OriginalsSwitch />
          <DownloadButton
            operation="getSegmentNumbers"
            request={{ params: { game }, query: { format: 'csv' } }}
            fileName={`${game}-segments.csv`}
            label="CSV"
          />
        </Group>
      </Group>
      <Loaded query={numbers} height={200}>
        {(data) => (
          <>
            <MoneyNote rows={[data.all]} />
            <DataTable
              label="Numbers by segment"
              rows={rowsOf(data)}
              rowKey={({ segmentId }) => segmentId ?? ''}
              columns={COLUMNS}
              empty={null}
            />
            <Text size="xs" c="dimmed">
              {formatDay(data.from)} to {formatDay(data.to)}, of the players who are in each segment now: who
              was in it on a past day is not kept. A player may be in several.
              {data.segments === null
                ? ' The rules ask for too many different things about a player to decide for all segments at once.'
                : ''}
              {data.isSampled ? ` Estimated from ${formatCount(data.examined)} players.` : ''} Counted{' '}
              <Moment at={data.countedAt} />.
            </Text>
          </>
        )}
      </Loaded>
    </section>
  );
}

function rowsOf({ all, segments }: Numbers): Row[] {
  return [...(segments ?? []), { ...all, segmentId: null, name: 'All players' }];
}
