/** Letters that are not taken for each other, and make no words (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20^12 codes: with a million of them in use, one guess in four billion is right. */
const LENGTH = 12;
const GROUP = /.{4}(?=.)/g;

/** The code that a keyed hash stands for: `BCDF-GHJK-LMNP`. */
export function codeOf(seed: Buffer): string {
  let rest = BigInt(`0x${seed.toString('hex')}`);
  let code = '';
  for (let n = 0; n < LENGTH; n++) {
    code += LETTERS[Number(rest % BigInt(LETTERS.length))];
    rest /= BigInt(LETTERS.length);
  }
  return code.replace(GROUP, '$&-');
}

/** A code as people type it: in small letters, with spaces or without hyphens. Undefined if it cannot be one. */
export function readCode(text: string): string | undefined {
  const letters = text.toUpperCase().replace(/[\s\p{Pd}_.]/gu, '');
  const isCode = letters.length === LENGTH && [...letters].every((letter) => LETTERS.includes(letter));
  return isCode ? letters.replace(GROUP, '$&-') : undefined;
}
