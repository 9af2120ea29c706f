import { formatMoney, formatShare } from './format.js';

/** What each model predicts, by the names of the API. */
export const PREDICTIONS_OF: Readonly<Record<string, readonly (readonly [id: string, label: string])[]>> = {
  activity: [['churn', 'Does not come back within 7 days']],
  purchases: [
    ['payerAlive', 'Payer will buy again'],
    ['revenue90', 'Revenue of 90 days'],
    ['revenue', 'Revenue of 28 days'],
    ['purchases', 'Purchases of 28 days'],
  ],
  conversion: [['spend', 'Spends within 7 days']],
};

/** `5%–10%`, `USD 2.00–USD 4.00`, `40 or more`. */
export function binLabel({ from, to }: { from: number; to: number | null }, unit: string): string {
  const told = (value: number) =>
    unit === 'probability' ? formatShare(value) : isCurrency(unit) ? formatMoney(value, unit) : String(value);
  return to === null ? `${told(from)} or more` : `${told(from)}–${told(to)}`;
}

/** What the labels of the bins are in: an amount in the reporting currency at the rate of today, unless the originals are asked for. */
export function shownBins<Bin extends { from: number; to: number | null }>(
  { bins, unit, reported }: Distribution<Bin>,
  isOriginal: boolean,
): { bins: Bin[]; unit: string; isConverted: boolean } {
  if (reported === null || isOriginal || reported.currency === unit)
    return { bins: [...bins], unit, isConverted: false };
  const rate = Number(reported.rate);
  const converted = bins.map((bin) => ({
    ...bin,
    from: bin.from * rate,
    to: bin.to === null ? null : bin.to * rate,
  }));
  return { bins: converted, unit: reported.currency, isConverted: true };
}

type Distribution<Bin> = {
  bins: readonly Bin[];
  unit: string;
  reported: { currency: string; rate: string } | null;
};

/** A game without a purchase has none: the code for no currency. */
function isCurrency(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit) && unit !== 'XXX';
}
