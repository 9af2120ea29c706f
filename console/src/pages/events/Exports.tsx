import { Button, Group, NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf, formatBytes, formatCount } from '../../lib/format.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

type Job = Schemas['Export'];
const isOpen = ({ state }: Job) => state === 'waiting' || state === 'running';
const EVERY_MS = 2_000;

/** Events as a file. The work goes on when the page is left, and is found here again. */
export function Exports() {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const pages = usePages(
    'listExports',
    { params: { game } },
    {
      // While an export runs, its progress is shown.
      everyMs: ({ exports }) => (exports.some(isOpen) ? EVERY_MS : false),
    },
  );
  return (
    <Stack gap="lg">
      {isEditor && <StartForm />}
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="Exports"
        rows={pages.data?.pages.flatMap(({ exports }) => exports)}
        rowKey={({ exportId }) => exportId}
        more={moreOf(pages)}
        empty={
          <EmptyState title="No exports">
            <Text size="sm">
              Choose a time above. The file is made in the background, and kept for three days.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'span',
            header: 'Events of',
            cell: ({ from, to }) => `${shown(from)} up to ${shown(to)} UTC`,
          },
          { id: 'format', header: 'Format', cell: ({ format }) => format },
          { id: 'by', header: 'By', cell: ({ createdBy }) => createdBy },
          { id: 'started', header: 'Started', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          { id: 'state', header: 'State', cell: (job) => <State job={job} /> },
          { id: 'file', header: '', cell: (job) => <Actions job={job} /> },
        ]}
      />
    </Stack>
  );
}

function StartForm() {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [from, setFrom] = useState(() => dayBefore(7));
  const [to, setTo] = useState(() => dayBefore(0));
  const [format, setFormat] = useState<Job['format']>('ndjson');
  const start = useApiMutation('startExport', {
    onDone: () => refresh('listExports'),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    start.mutate({ params: { game }, body: { from, to, format } });
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group align="flex-end" gap="sm">
          <TextInput
            label="From (UTC)"
            type="date"
            required
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          />
          <TextInput
            label="Up to, not included"
            type="date"
            required
            value={to}
            onChange={({ currentTarget }) => setTo(currentTarget.value)}
          />
          <NativeSelect
            label="Format"
            value={format}
            data={[
              { value: 'ndjson', label: 'JSON lines' },
              { value: 'csv', label: 'CSV' },
            ]}
            onChange={({ currentTarget }) => setFormat(currentTarget.value === 'csv' ? 'csv' : 'ndjson')}
          />
          <Button type="submit" loading={start.isPending}>
            Start the export
          </Button>
        </Group>
        <ProblemNote problem={start.error} />
      </Stack>
    </form>
  );
}

function State({ job }: { job: Job }) {
  const { state, events, expectedEvents, bytes, failure } = job;
  if (state === 'done') return `${countOf(events, 'event')}, ${formatBytes(bytes)}`;
  if (state === 'failed') return <Text size="sm">Failed. {failure}</Text>;
  if (!isOpen(job)) return state;
  // An estimate: the bar must not be full before the work is done.
  const percent = expectedEvents === 0 ? 0 : Math.min(99, (100 * events) / expectedEvents);
  return (
    <Stack gap={2} miw={160}>
      <Progress value={percent} aria-label="Progress of the export" />
      <Text size="xs" c="dimmed">
        {state === 'waiting' ? 'Waiting' : `${formatCount(events)} of about ${formatCount(expectedEvents)}`}
      </Text>
    </Stack>
  );
}

function Actions({ job }: { job: Job }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const cancel = useApiMutation('cancelExport', {
    onDone: () => refresh('listExports'),
  });
  const { exportId, state, from, to, format } = job;
  if (!isEditor || state === 'cancelled') return null;
  return (
    <Group gap="xs" wrap="nowrap">
      {state === 'done' && (
        <DownloadButton
          operation="downloadExport"
          request={{ params: { game, exportId } }}
          fileName={`${game}-events-${from.slice(0, 10)}-${to.slice(0, 10)}.${format}.gz`}
          label="Download"
        />
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ params: { game, exportId } })}
      >
        {isOpen(job) ? 'Cancel' : 'Delete'}
      </Button>
      <ProblemNote problem={cancel.error} />
    </Group>
  );
}

/** A day, or the time as well where it is not midnight. */
function shown(moment: string): string {
  const [day = '', time = ''] = moment.split('T');
  return time.startsWith('00:00:00.000000') ? day : `${day} ${time.slice(0, 8)}`;
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
