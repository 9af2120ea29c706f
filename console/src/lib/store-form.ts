import type { Schemas } from '../api/client.js';

export type StoreSettings = Schemas['StoresResponse']['data'];

/** The settings as texts of fields. Lists have one entry a line. */
export type StoreForm = {
  bundleIds: string;
  packageName: string;
  publicKey: string;
  pushAudience: string;
  pushAccount: string;
  counts: StoreSettings['counts'];
  maxPrices: string;
  testers: string;
};

export function toForm({ apple, google, counts, maxPrices, testers }: StoreSettings): StoreForm {
  return {
    bundleIds: apple?.bundleIds.join('\n') ?? '',
    packageName: google?.packageName ?? '',
    publicKey: google?.publicKey ?? '',
    pushAudience: google?.push?.audience ?? '',
    pushAccount: google?.push?.account ?? '',
    counts,
    maxPrices: Object.entries(maxPrices)
      .map(([currency, price]) => `${currency} ${price}`)
      .join('\n'),
    testers: testers.join('\n'),
  };
}

/** What the fields say. A store without an app is not set up. */
export function fromForm(form: StoreForm): StoreSettings {
  const bundleIds = linesOf(form.bundleIds);
  const packageName = form.packageName.trim();
  const push = { audience: form.pushAudience.trim(), account: form.pushAccount.trim() };
  return {
    apple: bundleIds.length === 0 ? null : { bundleIds },
    google:
      packageName === ''
        ? null
        : {
            packageName,
            publicKey: form.publicKey.replaceAll(/\s/g, ''),
            push: push.audience === '' && push.account === '' ? null : push,
          },
    counts: form.counts,
    maxPrices: Object.fromEntries(
      linesOf(form.maxPrices).map((line) => {
        const [currency = '', price = ''] = line.split(/[\s=:]+/);
        return [currency.toUpperCase(), price];
      }),
    ),
    testers: linesOf(form.testers),
  };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
