import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { type ConfigDocument, problemsUnder, type StoreSettings } from '../../lib/document.js';

/** What holds for the whole store. */
export function StoreRules({ document }: { document: ConfigDocument }) {
  const { store: settings } = document;
  const { edit, problems } = useDraft();
  const { isEditor } = useRole();
  const set = (change: Partial<StoreSettings>) =>
    edit((before) => ({ ...before, store: { ...before.store, ...change } }));
  const problemAt = (member: string) =>
    problemsUnder(problems, '/store').find((each) => each.member === member)?.message;
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
        <TextInput
          label="Players held out, in percent"
          description="They always get the catalogue without offers, so that the value of offers can be measured."
          inputMode="decimal"
          value={String(settings.holdoutPercent)}
          error={problemAt('holdoutPercent')}
          onChange={({ currentTarget }) => {
            const percent = Number(currentTarget.value.replace(',', '.'));
            if (!Number.isNaN(percent)) set({ holdoutPercent: percent });
          }}
        />
        <Checkbox
          label="Send clients the catalogue without offers as well, for offline play"
          checked={settings.sendFallback}
          onChange={({ currentTarget }) => set({ sendFallback: currentTarget.checked })}
        />
      </Stack>
    </fieldset>
  );
}
