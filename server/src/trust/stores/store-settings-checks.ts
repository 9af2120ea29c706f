import type { StoreSettings } from '../../core/events/receipts/store-settings.js';
import { isCurrency } from '../../platform/lib/currencies.js';
import { readGoogleKey } from '../../platform/lib/receipts/google-receipts.js';

/** What is wrong with settings whose form is right, in a sentence. */
export function findFlaw({ google, maxPrices }: StoreSettings): string | undefined {
  if (google !== null && readGoogleKey(google.publicKey) === undefined)
    return 'google.publicKey is no RSA key of 2,048 bits or more in Base64.';
  const unknown = Object.keys(maxPrices).find((currency) => !isCurrency(currency));
  return unknown === undefined ? undefined : `"${unknown}" is no currency that players can pay in.`;
}
