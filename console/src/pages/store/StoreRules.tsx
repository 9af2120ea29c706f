import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { type ConfigDocument, problemsUnder } from '../../lib/document.js';
import { ZoneInput } from '../../parts/ScheduleFields.js';
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
        <StudioZone document={document} />
        <PricingRules document={document} />
      </Stack>
    </fieldset>
  );
}

/** What schedules mean by the studio's zone. */
function StudioZone({ document }: { document: ConfigDocument }) {
  const { edit, problems } = useDraft();
  return (
    <ZoneInput
      label="The studio’s time zone"
      description="For schedules in the studio’s zone, and for players whose zone is not known. A name such as Europe/Berlin; empty: UTC."
      data={Intl.supportedValuesOf('timeZone')}
      value={document.calendar?.studioZone ?? ''}
      error={problemsUnder(problems, '/calendar')[0]?.message}
      onChange={(studioZone) =>
        edit(({ calendar: _former, ...before }) =>
          studioZone === '' ? before : { ...before, calendar: { studioZone } },
        )
      }
    />
  );
}
