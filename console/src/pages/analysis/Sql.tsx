import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useApiMutation, useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf, formatDays } from '../../lib/format.js';
import { saveFile } from '../../lib/save-file.js';
import { answerCsv, cellText, isNumberType, SQL_EXAMPLES, type SqlAnswer } from '../../lib/sql-answer.js';
import { DataTable } from '../../parts/DataTable.js';
import { EmptyState, Loaded, ProblemNote } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/analysis');

/** Free questions to every event of the closed days. The question is in the address, so that a link leads others to it. */
export function Sql() {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const files = useGet('getEventFiles', { params: { game } });
  return (
    <Loaded query={files}>
      {({ isOn, files: count, events, firstDay, lastDay }) => {
        if (!isOn) return <FilesOff />;
        return (
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {firstDay === null || lastDay === null
                ? 'No day is closed yet: a day is written two days after its end.'
                : `The table events has ${countOf(events, 'event')} received from ${formatDays(firstDay, lastDay)} (${countOf(count, 'file')}). Later days follow two days after their end.`}
            </Text>
            {isEditor ? (
              <Question />
            ) : (
              <Text size="sm">Questions see single events, as exports do: this needs the role editor.</Text>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Question() {
  const { game } = useStudioAndGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [sql, setSql] = useState(search.sql ?? SQL_EXAMPLES[0].sql);
  const ask = useApiMutation('askEventFiles');
  const send = () => {
    void navigate({ search: (before) => ({ ...before, sql }), replace: true });
    ask.mutate({ params: { game }, body: { sql } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!ask.isPending) send();
  };
  return (
    <>
      <NativeSelect
        label="Example"
        maw={360}
        value={SQL_EXAMPLES.find((example) => example.sql === sql)?.name ?? ''}
        data={[
          { value: '', label: 'Your own question', disabled: true },
          ...SQL_EXAMPLES.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={({ currentTarget }) =>
          setSql(SQL_EXAMPLES.find(({ name }) => name === currentTarget.value)?.sql ?? sql)
        }
      />
      <Textarea
        label="Question in SQL"
        description="One statement that reads the table events, in the SQL of DuckDB. Ctrl-Enter asks."
        autosize
        minRows={5}
        maxRows={20}
        maxLength={20_000}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={sql}
        onChange={({ currentTarget }) => setSql(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group gap="sm">
        <Button onClick={send} loading={ask.isPending} disabled={sql.trim() === ''}>
          Ask
        </Button>
        <Text size="xs" c="dimmed">
          At most 30 seconds, 512 MB and 1,000 rows. The question is in the audit log.
        </Text>
      </Group>
      <ProblemNote problem={ask.error} />
      {ask.data !== undefined && !ask.isPending && <Answer answer={ask.data} game={game} />}
    </>
  );
}

/** Rows have no id but their place. */
type Row = { cells: readonly unknown[]; at: number };

function Answer({ answer, game }: { answer: SqlAnswer; game: string }) {
  const { columns, rows, isCut } = answer;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {countOf(rows.length, 'row')}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => saveFile(new Blob([answerCsv(answer)], { type: 'text/csv' }), `${game}-answer.csv`)}
        >
          CSV
        </Button>
      </Group>
      {isCut && (
        <Alert color="orange" variant="light">
          There are more rows than are shown. Ask for sums, or use <code>savepoint sql --rows</code>.
        </Alert>
      )}
      <DataTable
        label="Answer"
        rows={rows.map((cells, at) => ({ cells, at }))}
        rowKey={({ at }) => String(at)}
        empty={<Text size="sm">The answer has no rows.</Text>}
        columns={columns.map(({ name, type }, at) => ({
          id: `${at} ${name}`,
          header: name,
          isNumber: isNumberType(type),
          cell: ({ cells }: Row) => cellText(cells[at], type),
        }))}
      />
    </Stack>
  );
}

function FilesOff() {
  return (
    <EmptyState title="No files of events">
      <Text size="sm">
        With <code>SAVEPOINT_EVENT_FILES_DIR</code> the service writes every event of closed days to Parquet
        files. Then anybody with the role editor can ask them in SQL here, and the database that serves
        players is left alone. An operator sets it.
      </Text>
    </EmptyState>
  );
}
