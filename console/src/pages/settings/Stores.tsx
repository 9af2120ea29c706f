import { Button, Fieldset, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { fromForm, type StoreForm, type StoreSettings, toForm } from '../../lib/store-form.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { GoogleAccount } from './GoogleAccount.js';
import { ReceiptTest } from './ReceiptTest.js';

/** Which receipts of Apple and Google the game believes, and which purchases count. */
export function Stores() {
  const { game } = useStudioAndGame();
  const found = useGet('getStores', { params: { game } });
  return (
    <Loaded query={found}>
      {(data) => (
        <Stack gap="xl" maw={640}>
          <StoresForm key={game} settings={data} />
          <GoogleAccount />
          <ReceiptTest />
        </Stack>
      )}
    </Loaded>
  );
}

function StoresForm({ settings }: { settings: StoreSettings }) {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [form, setForm] = useState(() => toForm(settings));
  const save = useApiMutation('saveStores', {
    onDone: () => void refresh('getStores'),
  });
  const field = (name: Exclude<keyof StoreForm, 'counts'>) => ({
    value: form[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setForm((now) => ({ ...now, [name]: value })),
  });
  const lines = { autosize: true, minRows: 1, maxRows: 8 };
  return (
    <Stack gap="md">
      <Text size="sm">
        A client can claim any purchase. With the receipt of the store, the service takes product and price
        from the receipt, and nothing from the client.
      </Text>
      <Fieldset legend="Apple">
        <Textarea
          label="Bundle ids"
          description="One a line. Empty: purchases with receipts of Apple wait in the inbox until you name an app."
          {...lines}
          {...field('bundleIds')}
        />
      </Fieldset>
      <Fieldset legend="Google">
        <Stack gap="sm">
          <TextInput
            label="Package name"
            description="Empty: purchases with receipts of Google wait in the inbox until you name an app."
            {...field('packageName')}
          />
          <Textarea
            label="Licence key"
            description="As the Play Console shows it, under Monetisation setup."
            {...lines}
            {...field('publicKey')}
          />
          <TextInput
            label="Audience of the push subscription"
            description="For notifications of refunds. Empty: they are refused."
            {...field('pushAudience')}
          />
          <TextInput label="Service account of the push subscription" {...field('pushAccount')} />
        </Stack>
      </Fieldset>
      <Fieldset legend="What counts">
        <Stack gap="sm">
          <SegmentedControl
            aria-label="Which purchases count"
            value={form.counts}
            onChange={(counts) => setForm((now) => ({ ...now, counts: counts as StoreForm['counts'] }))}
            data={[
              { value: 'everything', label: 'All purchases' },
              { value: 'verified', label: 'Verified purchases only' },
            ]}
          />
          <Text size="sm">It holds for purchases that are received after the change.</Text>
          <Textarea
            label="Largest believable price without a receipt"
            description="One currency a line, such as: USD 199.99"
            {...lines}
            {...field('maxPrices')}
          />
          <Textarea
            label="Testers"
            description="User ids, one a line. Their sandbox purchases count, without a price."
            {...lines}
            {...field('testers')}
          />
        </Stack>
      </Fieldset>
      <ProblemNote problem={save.error} />
      <Group>
        <Button
          loading={save.isPending}
          onClick={() => save.mutate({ params: { game }, body: fromForm(form) })}
        >
          Save
        </Button>
        {save.isSuccess && <Text size="sm">Saved. Every node obeys it with the next batch of events.</Text>}
      </Group>
    </Stack>
  );
}
