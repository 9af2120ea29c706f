/**
 * The currencies of ISO 4217 by the number of decimals of their minor unit, as the standard's lists stood in January 2026.
 * It is a list of our own because what `Intl` knows changes with the version of Node: a price that one server accepts would
 * be refused by the next. Its digits are of another kind, too: what is usual on price tags, so IDR, HUF and COP have none.
 *
 * A code never leaves this list, and its decimals never change: published prices and stored purchases depend on it. So codes
 * that were withdrawn in 2020 or later are in it; game stores charge in them for some time after. Older ones are not: a price
 * in German marks is a mistake. Codes without a minor unit are not money that a player can pay: precious metals, drawing
 * rights, tests (XTS) and no currency at all (XXX).
 */
const CODES_BY_DECIMALS: readonly (readonly [decimals: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
     COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
     JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
     NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
     THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
  // Withdrawn since 2020.
  [2, 'ANG BGN CUC HRK SLL ZWL'],
];

const decimalsByCode: ReadonlyMap<string, number> = new Map(
  CODES_BY_DECIMALS.flatMap(([decimals, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, decimals]),
  ),
);

/** How many decimals an amount of this currency has, or undefined if no player can pay in it. */
export function currencyDecimals(currency: string): number | undefined {
  return decimalsByCode.get(currency);
}

export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && decimalsByCode.has(value);
}
