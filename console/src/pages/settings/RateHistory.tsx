import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, useGet, usePages, useRefresh } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';

/** Who changed the rates and when. Any version can be put in force again. */
export function RateHistory() {
  const [open, setOpen] = useState<number>();
  const pages = usePages('listRateVersions');
  const rows = pages.data?.pages.flatMap(({ versions }) => versions);
  return (
    <>
      <ProblemNote problem={pages.error} />
      <DataTable
        label="Versions of the rates"
        rows={rows}
        rowKey={({ version }) => String(version)}
        empty={
          <Text size="sm" c="dimmed">
            Nothing was saved yet.
          </Text>
        }
        more={moreOf(pages)}
        columns={[
          {
            id: 'version',
            header: 'Version',
            cell: ({ version }) => (
              <Button variant="subtle" size="compact-sm" onClick={() => setOpen(version)}>
                v{version}
              </Button>
            ),
          },
          { id: 'currency', header: 'Currency', cell: ({ currency }) => currency ?? 'none' },
          { id: 'rates', header: 'Rates', isNumber: true, cell: ({ rateCount }) => rateCount },
          {
            id: 'author',
            header: 'By',
            cell: ({ author, authorEmail }) => <Person name={author ?? ''} email={authorEmail} />,
          },
          { id: 'at', header: 'Saved', cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
      />
      <SidePanel
        title={`Version ${open} of the rates`}
        isOpen={open !== undefined}
        onClose={() => setOpen(undefined)}
      >
        {open !== undefined && (
          <OldVersion version={open} newest={rows?.[0]?.version ?? 0} onDone={() => setOpen(undefined)} />
        )}
      </SidePanel>
    </>
  );
}

function OldVersion({ version, newest, onDone }: { version: number; newest: number; onDone: () => void }) {
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const found = useGet('getRates', { query: { version } });
  const save = useApiMutation('saveRates', {
    onDone: () => {
      refresh();
      onDone();
    },
  });
  return (
    <Loaded query={found}>
      {({ currency, rates }) => (
        <Stack gap="sm">
          <Text size="sm">
            {currency === null ? 'No reporting currency.' : `Reporting currency ${currency}.`}
          </Text>
          <DataTable
            label="Rates of the version"
            rows={rates}
            rowKey={(rate) => `${rate.currency} ${rate.from}`}
            empty={<Text size="sm">No rates.</Text>}
            columns={[
              { id: 'currency', header: 'Currency', cell: (rate) => rate.currency },
              { id: 'from', header: 'Holds from', cell: ({ from }) => from },
              { id: 'rate', header: `Worth in ${currency}`, isNumber: true, cell: ({ rate }) => rate },
            ]}
          />
          <ProblemNote problem={save.error} />
          {isEditor && version !== newest && (
            <Button
              size="xs"
              loading={save.isPending}
              onClick={() => save.mutate({ body: { basedOn: newest, currency, rates } })}
            >
              Put these in force again, as version {newest + 1}
            </Button>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
