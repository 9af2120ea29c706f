/** Where players come from, what they play on, and what the game sells. */
export type Country = {
  country: string;
  locale: string;
  currency: string;
  /** Hours ahead of UTC. */
  zone: number;
  weight: number;
  /** How likely a player is to spend, compared to others. */
  wealth: number;
};

export const COUNTRIES: readonly Country[] = [
  { country: 'US', locale: 'en-US', currency: 'USD', zone: -6, weight: 26, wealth: 1.4 },
  { country: 'DE', locale: 'de-DE', currency: 'EUR', zone: 1, weight: 9, wealth: 1.2 },
  { country: 'FR', locale: 'fr-FR', currency: 'EUR', zone: 1, weight: 7, wealth: 1.1 },
  { country: 'GB', locale: 'en-GB', currency: 'GBP', zone: 0, weight: 8, wealth: 1.2 },
  { country: 'JP', locale: 'ja-JP', currency: 'JPY', zone: 9, weight: 8, wealth: 2 },
  { country: 'KR', locale: 'ko-KR', currency: 'KRW', zone: 9, weight: 5, wealth: 1.6 },
  { country: 'BR', locale: 'pt-BR', currency: 'BRL', zone: -3, weight: 12, wealth: 0.5 },
  { country: 'IN', locale: 'en-IN', currency: 'INR', zone: 5.5, weight: 14, wealth: 0.2 },
  { country: 'MX', locale: 'es-MX', currency: 'MXN', zone: -6, weight: 5, wealth: 0.5 },
  { country: 'PL', locale: 'pl-PL', currency: 'PLN', zone: 1, weight: 4, wealth: 0.7 },
  { country: 'AU', locale: 'en-AU', currency: 'AUD', zone: 10, weight: 2, wealth: 1.4 },
];

export type Platform = { osName: string; osVersion: string; deviceType: string; weight: number };

export const PLATFORMS: readonly Platform[] = [
  { osName: 'Android', osVersion: '16', deviceType: 'phone', weight: 34 },
  { osName: 'Android', osVersion: '14', deviceType: 'phone', weight: 20 },
  { osName: 'Android', osVersion: '14', deviceType: 'tablet', weight: 5 },
  { osName: 'iOS', osVersion: '26.1', deviceType: 'phone', weight: 24 },
  { osName: 'iOS', osVersion: '25.4', deviceType: 'tablet', weight: 7 },
  { osName: 'Windows', osVersion: '11', deviceType: 'desktop', weight: 10 },
];

/** Where players heard of the game; undefined where nobody knows. */
export type Source = { source: string | undefined; weight: number };

export const SOURCES: readonly Source[] = [
  { source: 'organic', weight: 40 },
  { source: 'video-ads', weight: 25 },
  { source: 'search-ads', weight: 15 },
  { source: 'friends', weight: 10 },
  { source: undefined, weight: 10 },
];

/** Released when this part of the simulated days has passed. */
export type Build = { build: string; released: number; isBroken?: boolean };

export const BUILDS: readonly Build[] = [
  { build: '1.0.0', released: 0 },
  { build: '1.1.0', released: 0.3 },
  // Sends ads with a number for an id, texts with a NUL in them and currencies in small letters. Android only.
  { build: '1.1.1', released: 0.45, isBroken: true },
  { build: '1.2.0', released: 0.6 },
];

export type Sku = { skuId: string; usd: number; weight: number };

/** The cheap ones sell best. What heavy spenders buy is drawn with other weights. */
export const SKUS: readonly Sku[] = [
  { skuId: 'gems_80', usd: 0.99, weight: 40 },
  { skuId: 'starter_pack', usd: 4.99, weight: 30 },
  { skuId: 'gems_1200', usd: 9.99, weight: 16 },
  { skuId: 'season_pass', usd: 14.99, weight: 10 },
  { skuId: 'gems_6500', usd: 49.99, weight: 3 },
  { skuId: 'gems_14000', usd: 99.99, weight: 1 },
];

/** What a dollar is in a currency, and the smallest step of a price. Every price is a whole number of hundredths. */
const RATES: Readonly<Record<string, { perUsd: number; step: number }>> = {
  USD: { perUsd: 1, step: 0.01 },
  EUR: { perUsd: 1, step: 0.01 },
  GBP: { perUsd: 0.8, step: 0.01 },
  JPY: { perUsd: 150, step: 10 },
  KRW: { perUsd: 1_350, step: 100 },
  BRL: { perUsd: 5.5, step: 0.1 },
  INR: { perUsd: 85, step: 1 },
  MXN: { perUsd: 19, step: 1 },
  PLN: { perUsd: 4, step: 0.01 },
  AUD: { perUsd: 1.5, step: 0.01 },
};

export function priceIn(currency: string, usd: number): number {
  const { perUsd, step } = RATES[currency] ?? { perUsd: 1, step: 0.01 };
  return Math.round(Math.round((usd * perUsd) / step) * step * 100) / 100;
}
