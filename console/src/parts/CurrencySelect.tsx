import { NativeSelect } from '@mantine/core';

/** Money in the reporting currency, or only what was paid in one currency. Nothing where there is no choice. */
export function CurrencySelect({
  currencies,
  reportingCurrency,
  shown,
  onChange,
}: {
  /** Those that players paid in. */
  currencies: readonly string[];
  /** Undefined if the studio has none. */
  reportingCurrency: string | undefined;
  shown: { currency: string; isReported: boolean } | null;
  /** Undefined: all money, in the reporting currency. */
  onChange: (currency: string | undefined) => void;
}) {
  const all =
    reportingCurrency === undefined ? [] : [{ value: '', label: `all money, in ${reportingCurrency}` }];
  const originals = currencies.map((currency) => ({
    value: currency,
    label: reportingCurrency === undefined ? currency : `paid in ${currency}`,
  }));
  if (shown === null || currencies.length === 0 || all.length + originals.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label="Currency"
      value={shown.isReported ? '' : shown.currency}
      data={[...all, ...originals]}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}
