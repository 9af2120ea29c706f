import { currencyDecimals } from '../../platform/lib/currencies.js';
import type { Amounts, ReportedAmount } from '../money/exchange-rates.js';

/** `12.50 USD (without 3 CHF: no rate)` in the reporting currency, or `4.99 USD, 10 EUR` as it was paid. */
export function moneyText(paid: Amounts, reported: ReportedAmount | null): string {
  if (reported === null) return amountsText(paid);
  if (Object.keys(paid).length === 0) return '';
  const missing = amountsText(reported.missing);
  const note = missing === '' ? '' : ` (without ${missing}: no rate)`;
  const decimals = currencyDecimals(reported.currency) ?? 2;
  return `${Number(reported.amount).toFixed(decimals)} ${reported.currency}${note}`;
}

export function amountsText(amounts: Amounts): string {
  return Object.entries(amounts)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ');
}
