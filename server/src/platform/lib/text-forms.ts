/** How a text has to be written: its pattern, and the rule in words, which follow the name of the text. */
type TextForm = Readonly<{ pattern: string; rule: string }>;

const mustBe = (what: string) => `must be ${what}`;

/**
 * The patterns of bodies. Patterns are not for people to read: a schema takes its pattern from here, so that each has its words.
 * `server/test/studio/admin-api/body-sentences.test.ts` fails where a body has another pattern.
 */
export const TEXT_FORMS = {
  email: {
    pattern: '^[^\\s\\p{C}@<>"]+@[^\\s\\p{C}@<>"]+$',
    rule: mustBe('an e-mail address'),
  },
  /**
   * A name that people see. The first two parts of the pattern share no character, so that matching takes one step a character
   * whatever is sent.
   */
  name: {
    pattern: '^[^\\S\\p{C}]*[^\\p{C}\\s][^\\p{C}]*$',
    rule: 'must have a character that can be seen, and no control characters such as line breaks',
  },
  label: {
    pattern: '^[^\\p{C}]*$',
    rule: 'must have no control characters such as line breaks',
  },
  notBlank: { pattern: '\\S', rule: 'must not be blank' },
  appCode: { pattern: '^\\d{6}$', rule: mustBe('the six digits that your authenticator app shows') },
  signInCode: {
    pattern: '^(?:\\d{6}|[A-Za-z2-7]{4}(?:[ -]?[A-Za-z2-7]{4}){3})$',
    rule: mustBe('the six digits that your authenticator app shows, or a recovery code'),
  },
  time: { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', rule: mustBe('a time of day such as 18:30') },
  day: { pattern: '^\\d{4}-\\d{2}-\\d{2}$', rule: mustBe('a day such as 2026-11-15') },
  appId: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,154}$',
    rule: mustBe('the id of an app, such as com.example.game'),
  },
  price: {
    pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$',
    rule: mustBe('a price such as 199.99'),
  },
  currency: { pattern: '^[A-Z]{3}$', rule: mustBe('the three letters of a currency, such as USD') },
} as const satisfies Record<string, TextForm>;

const RULES = new Map<string, string>(Object.values(TEXT_FORMS).map(({ pattern, rule }) => [pattern, rule]));

/** Undefined for a pattern that is not in the table. */
export function ruleOfPattern(pattern: string): string | undefined {
  return RULES.get(pattern);
}
