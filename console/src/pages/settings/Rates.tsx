import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { todayUtc } from '../../lib/dashboard.js';
import { isChanged, newRow, type RateRow, ratesIn, rowsOf } from '../../lib/rates.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { FileMistakes } from '../../parts/FileMistakes.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { RateHistory } from './RateHistory.js';
import { RateImport } from './RateImport.js';
import { RateSheet } from './RateSheet.js';

type Saved = DataOf<'getRates'>;

/** The currency that figures of money are shown in, and what other currencies are worth in it. */
export function Rates() {
  const rates = useGet('getRates');
  return (
    <Stack gap="lg">
      <Loaded query={rates}>{(saved) => <RatesForm key={saved.version} saved={saved} />}</Loaded>
      <section>
        <Title order={2} size="h4" mb="xs">
          Versions
        </Title>
        <RateHistory />
      </section>
    </Stack>
  );
}

function RatesForm({ saved }: { saved: Saved }) {
  const { studio } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [currency, setCurrency] = useState(saved.currency ?? '');
  const [rows, setRows] = useState<RateRow[]>(() => rowsOf(saved.rates));
  // Every figure of money may change with it.
  const save = useApiMutation('saveRates', {
    onDone: () => refresh(),
  });
  const isOther = currency !== (saved.currency ?? '');
  const isEdited = isOther || isChanged(rows, saved.rates);
  return (
    <Stack gap="sm" maw={640}>
      <Text size="sm">
        Figures of money are shown in the reporting currency: each payment at the rate that holds on its UTC
        day, past days included. Nothing is fetched from outside.
      </Text>
      <TextInput
        label="Reporting currency"
        description="A code such as USD. Empty: money is shown in the currencies that players paid in."
        w={260}
        maxLength={3}
        readOnly={!isEditor}
        value={currency}
        onChange={({ currentTarget }) => setCurrency(currentTarget.value.toUpperCase())}
      />
      {isOther && saved.currency !== null && saved.rates.length > 0 && (
        <Text size="sm" c="orange">
          The rates below say what currencies are worth in {saved.currency}. Write new ones for{' '}
          {currency || 'another currency'}.
        </Text>
      )}
      <RateSheet rows={rows} currency={currency} isReadOnly={!isEditor} onChange={setRows} />
      <ProblemNote problem={save.error} />
      <FileMistakes problem={save.error} />
      <Group gap="xs">
        {isEditor && (
          <>
            <Button
              size="xs"
              variant="default"
              onClick={() => setRows([...rows, newRow(todayUtc(Date.now()))])}
            >
              Add a rate
            </Button>
            <Button
              size="xs"
              disabled={!isEdited}
              loading={save.isPending}
              onClick={() =>
                save.mutate({
                  body: { basedOn: saved.version, currency: currency || null, rates: ratesIn(rows) },
                })
              }
            >
              Save as version {saved.version + 1}
            </Button>
            <RateImport version={saved.version} isEdited={isEdited} />
          </>
        )}
        <DownloadButton operation="exportRates" request={{}} fileName={`${studio}-rates.csv`} label="CSV" />
      </Group>
    </Stack>
  );
}
