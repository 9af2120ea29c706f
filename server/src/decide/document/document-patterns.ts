import { clipText } from '../../platform/lib/clip-text.js';
import { currencyDecimals } from '../../platform/lib/currencies.js';
import { didYouMean } from '../../platform/lib/nearest-name.js';
import { PRICE_PATTERN, priceProblem } from './price-text.js';

/** How the texts of a document are written. */
export const PATTERNS = Object.freeze({
  /** Names a member of status responses and of rules, so it follows their syntax. */
  flagId: '^[a-z][A-Za-z0-9]{0,63}$',
  segmentId: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  /** Names a member of responses, and of the accessors that are generated from it in several languages. */
  valueKey: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
  experimentId: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  layerId: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  /** Rules compare with it, and reports name it. */
  variantId: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
  /** A part of what buckets are drawn by: no colon, which separates the parts. */
  experimentSeed: '^[A-Za-z0-9._-]{1,64}$',
  /** A member of `own` in rules. */
  attributeId: '^[a-z][A-Za-z0-9_]{0,31}$',
  /** A path in the payload or the metadata of an event. */
  eventMember: '^(payload|metadata)(\\.[A-Za-z_$][A-Za-z0-9_$-]{0,63}){1,4}$',
  offerId: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$',
  /** App stores' own product ids fit, and so does anything else a studio already uses; no control characters. */
  printable: '^[^\\u0000-\\u001f\\u007f]+$',
  currency: '^[A-Z]{3}$',
  /** The names of members are checked by their pattern only, so that has to bound the length. */
  locale: '^(?=.{2,35}$)[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$',
  /** `*` stands for all countries that are not named. */
  countryOrOther: '^([A-Z]{2}|\\*)$',
  price: PRICE_PATTERN,
  /** 0 to 100 with up to two decimals. */
  pricePercent: '^(100(\\.0{1,2})?|[1-9]?[0-9](\\.[0-9]{1,2})?)$',
  sha256: '^[0-9a-f]{64}$',
  /**
   * Games load these, and pages may show them: nothing but https, so no `javascript:` or `data:`. The own machine has no
   * certificate, so it is reached by http during development.
   */
  assetUrl:
    '^(https://[^\\s/?#]|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?(/|$))[^\\s\\u0000-\\u001f\\u007f]*$',
});

type PatternName = keyof typeof PATTERNS;

/** What to write in place of a text that does not fit. */
const PROBLEMS: Record<PatternName, (text: string) => string> = {
  flagId: (text) =>
    `${quoted(text)} cannot be the id of a flag: begin with a lower-case letter, and use letters and digits only, 64 at most.`,
  segmentId: (text) =>
    `${quoted(text)} cannot be the id of a segment: begin with a letter, and use letters, digits, hyphens and underscores only, 64 at most.`,
  offerId: (text) =>
    `${quoted(text)} cannot be the id of an offer: begin with a letter or a digit, and use letters, digits and . _ : - only, 64 at most.`,
  valueKey: (text) =>
    `${quoted(text)} cannot be the key of a value: begin with a letter, and use letters, digits and underscores only, 64 at most.`,
  experimentId: (text) =>
    `${quoted(text)} cannot be the id of an experiment: begin with a letter, and use letters, digits, hyphens and underscores only, 64 at most.`,
  layerId: (text) =>
    `${quoted(text)} cannot be the id of a layer: begin with a letter, and use letters, digits, hyphens and underscores only, 64 at most.`,
  variantId: (text) =>
    `${quoted(text)} cannot be the id of a variant: begin with a letter or a digit, and use letters, digits, hyphens and underscores only, 64 at most.`,
  experimentSeed: (text) =>
    `${quoted(text)} cannot be a seed: use letters, digits and . _ - only, 64 at most.`,
  attributeId: (text) =>
    `${quoted(text)} cannot be the id of an attribute: begin with a lower-case letter, and use letters, digits and underscores only, 32 at most.`,
  eventMember: (text) =>
    `${quoted(text)} cannot be the member of an event: write a path such as payload.level or metadata.clientBuild, with four names at most.`,
  printable: () => 'An id cannot be empty, and holds no control characters.',
  currency: currencyProblem,
  locale: localeProblem,
  countryOrOther: (text) =>
    `${quoted(text)} is not a country: write two capital letters, as in DE, or * for all others.`,
  price: priceProblem,
  pricePercent: percentProblem,
  sha256: () => 'A SHA-256 is written as 64 hexadecimal digits in lower case.',
  assetUrl: (text) =>
    `${quoted(text)} cannot be the address of an asset: write it as in https://cdn.example.com/icon.png. Only the own machine (localhost) may be reached by http.`,
};

/**
 * A sentence about a text that does not match a pattern of a document; undefined for any other pattern. Several kinds of ids are
 * written alike: `member` says which one this is.
 */
export function patternProblem(pattern: string, text: string, member?: string): string | undefined {
  const names = (Object.keys(PATTERNS) as PatternName[]).filter((name) => PATTERNS[name] === pattern);
  const name = names.find((each) => each === member) ?? names[0];
  return name === undefined ? undefined : PROBLEMS[name](text);
}

export function currencyProblem(text: string): string {
  const upper = text.trim().toUpperCase();
  const meant = currencyDecimals(upper) === undefined ? undefined : upper;
  return `${quoted(text)} is not a currency of ISO 4217, such as USD.${didYouMean(meant)}`;
}

export function localeProblem(text: string): string {
  return `${quoted(text)} is not a locale, such as de or pt-BR.`;
}

function percentProblem(text: string): string {
  const bare = text.replace(/[\s%]/g, '').replace(',', '.');
  const meant = new RegExp(PATTERNS.pricePercent).test(bare) ? `write ${bare}` : 'write it as in 33.33';
  return `${quoted(text)} is not a percentage: ${meant} (0 to 100, with two decimals at most).`;
}

const MAX_SHOWN = 64;

function quoted(text: string): string {
  return `"${clipText(text, MAX_SHOWN)}"`;
}
