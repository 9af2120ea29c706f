import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useRole } from '../../api/session.js';
import type { ConfigDocument } from '../../lib/document.js';
import { PricingRules } from './PricingRules.js';
import { useStoreSettings } from './use-store-settings.js';

/** What holds for the whole store. */
export function StoreRules({ document }: { document: ConfigDocument }) {
  const { store: settings } = document;
  const { isEditor } = useRole();
  const { set, problemAt } = useStoreSettings();
  return (
    <fieldset disabled={!isEditor} className="plain">
      <Stack gap="md" maw={480}>
        <TextInput
          label="Largest discount, in percent of the price"
          description="No offer reduces a price by more than this."
          inputMode="decimal"
          value={settings.largestDiscountPercent}
          error={problemAt('largestDiscountPercent')}
          onChange={({ currentTarget }) => set({ largestDiscountPercent: currentTarget.value })}
        />
        <Checkbox
          label="Send clients the catalogue without offers as well, for offline play"
          checked={settings.sendFallback}
          onChange={({ currentTarget }) => set({ sendFallback: currentTarget.checked })}
        />
        <PricingRules document={document} />
      </Stack>
    </fieldset>
  );
}
