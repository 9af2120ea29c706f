import { Alert, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { daysBefore, todayUtc } from '../../lib/dashboard.js';
import { formatCount, formatDay } from '../../lib/format.js';
import { type Column, DataTable } from '../../parts/DataTable.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { CopyableCode, Moment } from '../../parts/texts.js';

const DAYS = 30;

/** Events that clients numbered: those that are missing now, and those that never arrived. */
export function Losses() {
  const { studio, game } = useStudioAndGame();
  const to = todayUtc(Date.now());
  const losses = useGet('listLosses', { params: { game }, query: { from: daysBefore(to, DAYS - 1), to } });
  return (
    <Loaded query={losses}>
      {(data) => (
        <Stack gap="lg">
          <section aria-label="Missing now">
            <Title order={2} size="h4">
              Missing now
            </Title>
            <Text size="sm" c="dimmed">
              Later events of the same client have arrived. These may still arrive; after {data.graceHours}{' '}
              hours they count as lost.
            </Text>
            <DataTable
              label="Missing now"
              rows={data.missing}
              rowKey={({ build, platform }) => `${build} ${platform}`}
              empty={<Nothing title="Nothing is missing" />}
              columns={[
                { id: 'since', header: 'Since', cell: ({ since }) => <Moment at={since} /> },
                ...figures<Schemas['MissingEvents']>('Events missing'),
              ]}
            />
          </section>
          <section aria-label="Lost">
            <Title order={2} size="h4">
              Lost
            </Title>
            <Text size="sm" c="dimmed">
              Given up in the last {DAYS} days: missing for more than {data.graceHours} hours. An event that
              arrives after all is counted, and leaves this list.
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
                <Nothing
                  title={data.missing.length === 0 ? 'Nothing was lost' : 'Nothing has been given up so far'}
                />
              }
              columns={[
                { id: 'day', header: 'Day', cell: ({ day }) => formatDay(day) },
                ...figures<Schemas['Loss']>('Events lost'),
              ]}
            />
          </section>
        </Stack>
      )}
    </Loaded>
  );
}

function Nothing({ title }: { title: string }) {
  return (
    <EmptyState title={title}>
      <Text size="sm">Losses are noticed where clients number their events, as the client library does.</Text>
    </EmptyState>
  );
}

type Figures = { build: string | null; platform: string | null; events: number; players: number };

function figures<Row extends Figures>(events: string): Column<Row>[] {
  return [
    { id: 'build', header: 'Build', cell: ({ build }) => build ?? '(not told)' },
    { id: 'platform', header: 'Platform', cell: ({ platform }) => platform ?? '–' },
    { id: 'events', header: events, isNumber: true, cell: (row) => formatCount(row.events) },
    { id: 'players', header: 'Players', isNumber: true, cell: ({ players }) => formatCount(players) },
  ];
}
