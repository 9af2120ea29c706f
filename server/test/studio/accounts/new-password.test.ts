import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/platform/security/common-passwords.js';
import { isKeyboardRun, isRepetition } from '../../../src/platform/security/password-patterns.js';
import { refuseWeakPassword } from '../../../src/studio/accounts/new-password.js';

describe('a new password', () => {
  it.each([
    ['too short', 'at least 12 characters'],
    ['Ada@Studio.example', 'your email address'],
    ['111111111111', 'repeat a shorter text'],
    ['abcabcabcabc', 'repeat a shorter text'],
    ['passwordpassword', 'repeat a shorter text'],
    ['Password1Password1', 'repeat a shorter text'],
    ['otters!otters!ott', 'repeat a shorter text'],
    ['qwertyuiop123', 'neighbouring keys'],
    ['qwertzuiopasd', 'neighbouring keys'],
    ['123456789012', 'neighbouring keys'],
    ['zyxwvutsrqpo', 'neighbouring keys'],
    ['1qaz2wsx3edc', 'neighbouring keys'],
    ['aabbaabbccbbaa', 'at least 5 different characters'],
    ['sonyericsson', 'one of the commonest'],
    ['LeaveMeAlone', 'one of the commonest'],
    ['password2024', 'one of the commonest'],
    ['!!Superman99', 'one of the commonest'],
  ])('%j is refused, with the reason', async (password, reason) => {
    await expect(refuseWeakPassword(password, 'ada@studio.example')).rejects.toMatchObject({
      code: 'password_weak',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    'correct horse battery staple',
    'nine purple otters sing',
    'dragon monkey shadow',
    '748291hello38!49',
    'ÄpfelUndBirnen im Garten',
    'xK7#pQ2m9vLd',
  ])('%j is taken', async (password) => {
    await expect(refuseWeakPassword(password, 'ada@studio.example')).resolves.toBeUndefined();
  });
});

describe('passwords that are shorter than any that is taken', () => {
  it.each(['11111111', 'abcabcabc', 'abababa'])('%j is a repetition', (password) => {
    expect(isRepetition(password)).toBe(true);
  });

  it.each(['abcdabce', 'aab', 'banana split'])('%j is no repetition', (password) => {
    expect(isRepetition(password)).toBe(false);
  });

  it.each(['qwerty', 'asdf1234', 'ZXCVBNM', '987654'])('%j is a run', (password) => {
    expect(isKeyboardRun(password)).toBe(true);
  });

  it.each(['defender', 'qwhello', 'abcxyz77'])('%j is no run', (password) => {
    expect(isKeyboardRun(password)).toBe(false);
  });

  it.each(['123456', 'password', 'dragon', 'Iloveyou'])('%j is common', async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  });
});
