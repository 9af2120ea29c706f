import { Text, Title } from '@mantine/core';
import { formatCount, formatDay } from '../../lib/format.js';
import { trendInWords } from '../../lib/trend.js';
import { Chart } from '../../parts/Chart.js';

/** How many players a segment had, day by day. */
export function Trend({ sizes }: { sizes: readonly { day: string; players: number }[] }) {
  return (
    <section aria-label="Trend">
      <Title order={2} size="h5">
        Players by day
      </Title>
      {sizes.length < 2 ? (
        <Text size="sm" c="dimmed">
          The published segment is counted once a day. Two days make a trend.
        </Text>
      ) : (
        <>
          <Text size="xs" c="dimmed">
            {trendInWords(sizes)}
          </Text>
          <Chart
            label="Players by day"
            places={sizes.map(({ day }) => formatDay(day))}
            series={[{ name: 'players', values: sizes.map(({ players }) => players) }]}
            format={formatCount}
            isCount
            height={150}
          />
        </>
      )}
    </section>
  );
}
