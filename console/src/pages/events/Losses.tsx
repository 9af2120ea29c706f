import { Alert, Stack, Text } from '@mantine/core';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { daysBefore, todayUtc } from '../../lib/dashboard.js';
import { formatCount, formatDay } from '../../lib/format.js';
import { DataTable } from '../../parts/DataTable.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';

const DAYS = 30;

/** Events that clients numbered and that never arrived, by day and build. */
export function Losses() {
  const { studio, game } = useStudioAndGame();
  const to = todayUtc(Date.now());
  const losses = useGet('listLosses', { params: { game }, query: { from: daysBefore(to, DAYS - 1), to } });
  return (
    <Loaded query={losses}>
      {(data) => (
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            The last {DAYS} days. A number counts as lost when it is missing for more than {data.graceHours}{' '}
            hours.
          </Text>
          {data.isCut && (
            <Alert
              color="yellow"
              variant="light"
              title={`Only the newest ${formatCount(data.losses.length)} rows are shown`}
            >
              <Text size="sm">
                Rows of older days are missing here. On the server, this prints all of them:
              </Text>
              <CopyableCode text={`npx savepoint losses --tenant ${studio} --game ${game}`} />
            </Alert>
          )}
          <DataTable
            label="Losses"
            rows={data.losses}
            rowKey={({ day, build, platform }) => `${day} ${build} ${platform}`}
            empty={
              <EmptyState title="Nothing was lost">
                <Text size="sm">
                  Losses are noticed where clients number their events, as the client library does.
                </Text>
              </EmptyState>
            }
            columns={[
              { id: 'day', header: 'Day', cell: ({ day }) => formatDay(day) },
              { id: 'build', header: 'Build', cell: ({ build }) => build ?? '(not told)' },
              { id: 'platform', header: 'Platform', cell: ({ platform }) => platform ?? '–' },
              {
                id: 'events',
                header: 'Events lost',
                isNumber: true,
                cell: ({ events }) => formatCount(events),
              },
              {
                id: 'players',
                header: 'Players',
                isNumber: true,
                cell: ({ players }) => formatCount(players),
              },
            ]}
          />
        </Stack>
      )}
    </Loaded>
  );
}
