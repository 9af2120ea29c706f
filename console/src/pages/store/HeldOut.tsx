import { TextInput } from '@mantine/core';
import { useRole } from '../../api/session.js';
import type { StoreSettings } from '../../lib/document.js';
import { useStoreSettings } from './use-store-settings.js';

/** How many players get no offers, so that the overview can say what offers are worth. */
export function HeldOut({ settings }: { settings: StoreSettings }) {
  const { isEditor } = useRole();
  const { set, problemAt } = useStoreSettings();
  return (
    <TextInput
      mt="lg"
      maw={480}
      label="Players held out, in percent"
      description="They always get the catalogue without offers. Overview compares them with the others, and shows what offers are worth."
      inputMode="decimal"
      readOnly={!isEditor}
      value={String(settings.holdoutPercent)}
      error={problemAt('holdoutPercent')}
      onChange={({ currentTarget }) => {
        const percent = Number(currentTarget.value.replace(',', '.'));
        if (!Number.isNaN(percent)) set({ holdoutPercent: percent });
      }}
    />
  );
}
