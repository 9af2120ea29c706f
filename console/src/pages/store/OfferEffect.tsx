import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { Offer } from '../../lib/document.js';

type Effect = Offer['effect'];

/** What the offer does to its SKUs: visibility, price, promotion. */
export function OfferEffect({
  offer,
  currencies,
  problemAt,
  onChange,
}: {
  offer: Offer;
  currencies: readonly string[];
  problemAt: (member: string) => string | undefined;
  onChange: (change: Partial<Offer>) => void;
}) {
  const { effect } = offer;
  const kind = effect.price === undefined ? 'none' : 'discountPercent' in effect.price ? 'discount' : 'set';
  const set = (change: { [Member in keyof Effect]: Effect[Member] | undefined }) => {
    const members = Object.entries({ ...effect, ...change }).filter(([, value]) => value !== undefined);
    onChange({ effect: Object.fromEntries(members) as Effect });
  };
  const prices = {
    none: undefined,
    discount: { discountPercent: '10' },
    set: { setTo: { [currencies[0] ?? 'USD']: '0.99' } },
  };
  return (
    <Stack gap="sm">
      <Group grow align="flex-start">
        <NativeSelect
          label="Price"
          value={kind}
          data={[
            { value: 'none', label: 'stays' },
            { value: 'discount', label: 'percent off' },
            { value: 'set', label: 'is set to' },
          ]}
          onChange={({ currentTarget }) => set({ price: prices[currentTarget.value as keyof typeof prices] })}
        />
        {effect.price !== undefined && 'discountPercent' in effect.price && (
          <TextInput
            label="Percent off the offer price"
            inputMode="decimal"
            value={effect.price.discountPercent}
            error={problemAt('effect/price/discountPercent') ?? problemAt('effect/price')}
            onChange={({ currentTarget }) => set({ price: { discountPercent: currentTarget.value } })}
          />
        )}
        {effect.price !== undefined && 'setTo' in effect.price && (
          <SetPrices
            setTo={effect.price.setTo}
            currencies={currencies}
            problem={problemAt('effect/price/setTo') ?? problemAt('effect/price')}
            onChange={(setTo) => set({ price: { setTo } })}
          />
        )}
      </Group>
      <Group grow align="flex-start">
        <NativeSelect
          label="Visibility"
          value={effect.visibility ?? ''}
          data={[
            { value: '', label: 'stays' },
            { value: 'show', label: 'shows the SKU' },
            { value: 'hide', label: 'hides the SKU' },
          ]}
          onChange={({ currentTarget }) =>
            set({
              visibility: currentTarget.value === '' ? undefined : (currentTarget.value as 'show' | 'hide'),
            })
          }
        />
        <TextInput
          label="Promotion id"
          description="Purchases name it; the limit per player counts it"
          value={effect.promoId ?? ''}
          error={problemAt('effect/promoId')}
          onChange={({ currentTarget }) => set({ promoId: currentTarget.value || undefined })}
        />
      </Group>
    </Stack>
  );
}

/** The price in each currency that the offer names. */
function SetPrices({
  setTo,
  currencies,
  problem,
  onChange,
}: {
  setTo: Record<string, string>;
  currencies: readonly string[];
  problem: string | undefined;
  onChange: (setTo: Record<string, string>) => void;
}) {
  const rows = Object.entries(setTo);
  const missing = currencies.find((currency) => setTo[currency] === undefined);
  return (
    <Stack gap={4}>
      {rows.map(([currency, price], index) => (
        <Group key={currency} gap={4} wrap="nowrap" align="flex-end">
          <TextInput
            label={index === 0 ? 'Currency' : undefined}
            aria-label="Currency"
            w={70}
            maxLength={3}
            value={currency}
            onChange={({ currentTarget }) =>
              onChange(
                Object.fromEntries(
                  rows.map(([name, value]) => [
                    name === currency ? currentTarget.value.toUpperCase() : name,
                    value,
                  ]),
                ),
              )
            }
          />
          <TextInput
            label={index === 0 ? 'Price' : undefined}
            aria-label={`Price in ${currency}`}
            value={price}
            error={problem}
            onChange={({ currentTarget }) => onChange({ ...setTo, [currency]: currentTarget.value })}
          />
        </Group>
      ))}
      {missing !== undefined && (
        <Button size="compact-xs" variant="subtle" onClick={() => onChange({ ...setTo, [missing]: '' })}>
          Add {missing}
        </Button>
      )}
    </Stack>
  );
}
