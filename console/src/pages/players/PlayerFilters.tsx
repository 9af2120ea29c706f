import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useDraft } from '../../draft/draft-context.js';
import { knownOf } from '../../lib/known-values.js';
import { type PlayerFilters as Filters, SEEN, SORTS } from '../../lib/player-filters.js';

/** In which order the players are listed, and which of them. */
export function PlayerFilters({
  value,
  currencies,
  onChange,
}: {
  value: Filters;
  /** That players are listed under, once that is known. */
  currencies: readonly string[];
  onChange: (change: Filters) => void;
}) {
  const { game } = useStudioAndGame();
  const { draft } = useDraft();
  const { data } = useGet('getBreakdown', { params: { game }, query: { by: 'country' } });
  const countries = knownOf(data?.values).values;
  const isBySpend = value.sort === 'spend';
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Order"
        value={value.sort ?? ''}
        data={SORTS.map(([id, label]) => ({ value: id, label }))}
        onChange={({ currentTarget }) =>
          onChange({ sort: currentTarget.value, currency: undefined, paid: undefined })
        }
      />
      {isBySpend && (
        <>
          <NativeSelect
            label="Paid in"
            value={value.currency ?? currencies[0] ?? ''}
            data={named(currencies, value.currency)}
            onChange={({ currentTarget }) => onChange({ currency: currentTarget.value })}
          />
          <TextInput
            label="At least"
            w={90}
            inputMode="decimal"
            value={value.paid ?? ''}
            onChange={({ currentTarget }) => onChange({ paid: currentTarget.value })}
          />
        </>
      )}
      <NativeSelect
        label="Country"
        value={value.country ?? ''}
        data={[{ value: '', label: 'any' }, ...named(countries.toSorted(), value.country)]}
        onChange={({ currentTarget }) => onChange({ country: currentTarget.value })}
      />
      <NativeSelect
        label="Seen"
        value={value.seen ?? ''}
        data={SEEN.map(([id, label]) => ({ value: id, label }))}
        onChange={({ currentTarget }) => onChange({ seen: currentTarget.value })}
      />
      <NativeSelect
        label="Segment"
        value={value.segment ?? ''}
        data={[
          { value: '', label: 'any' },
          ...(draft?.document.segments ?? []).map(({ segmentId, name }) => ({
            value: segmentId,
            label: name,
          })),
        ]}
        onChange={({ currentTarget }) => onChange({ segment: currentTarget.value })}
      />
    </Group>
  );
}

/** Keeps the value of the address, even if no player has it now. */
function named(values: readonly string[], value: string | undefined) {
  const all = value === undefined || values.includes(value) ? values : [...values, value];
  return all.map((each) => ({ value: each, label: each }));
}
