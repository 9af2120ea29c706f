import { useRole } from '../../api/session.js';
import type { StoreSettings } from '../../lib/document.js';
import { DecimalInput } from '../../parts/fields.js';
import { useStoreSettings } from './use-store-settings.js';

/** How many players get no offers, so that the overview can say what offers are worth. */
export function HeldOut({ settings }: { settings: StoreSettings }) {
  const { isEditor } = useRole();
  const { set, problemAt } = useStoreSettings();
  return (
    <DecimalInput
      mt="lg"
      maw={480}
      label="Players held out, in percent"
      description="They always get the catalogue without offers. Overview compares them with the others, and shows what offers are worth."
      readOnly={!isEditor}
      value={settings.holdoutPercent}
      error={problemAt('holdoutPercent')}
      onChange={(holdoutPercent) => set({ holdoutPercent })}
    />
  );
}
