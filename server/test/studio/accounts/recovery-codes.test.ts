import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeAt, stepAt } from '../../../src/platform/lib/totp.js';
import { resetAccount } from '../../../src/studio/accounts/account-changes.js';
import {
  addPerson,
  expectRefused,
  fromBase32,
  PASSWORD,
  type Person,
  personOf,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, testActor } from '../../support/harness.js';

let harness: Harness;
let admin: AdminClient;
let ada: Person;
let codes: string[];
let networks = 0;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});
beforeEach(async () => {
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
  codes = await turnOn();
});

const CURRENT = { currentPassword: PASSWORD };

async function turnOn(): Promise<string[]> {
  const { secret } = await ada.ask<{ secret: string }>('POST', '/account/second-factor', CURRENT);
  const code = codeAt(fromBase32(secret), stepAt(harness.clock.now()));
  const response = await ada.ask<{ recoveryCodes: string[] }>('PUT', '/account/second-factor', { code });
  return response.recoveryCodes;
}

const signInWith = (code = '') =>
  signIn(admin, ada.email, PASSWORD, { remoteAddress: `10.2.${++networks}.1`, code });
const left = async () => (await ada.ask<{ left: number }>('GET', '/account/recovery-codes')).left;
const renew = () => ada.ask<{ recoveryCodes: string[] }>('POST', '/account/recovery-codes', CURRENT);

describe('recovery codes', () => {
  it('are ten, all different, made when the second factor is turned on', async () => {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
    expect(await left()).toBe(10);
  });

  it('sign in once each, also of many requests at once, however they are typed', async () => {
    const [first, second = '', third = ''] = codes;
    const responses = await Promise.all([1, 2, 3].map(() => signInWith(first)));
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    personOf(admin, await signInWith(second.toLowerCase().replaceAll('-', ' ')));
    personOf(admin, await signInWith(third.replaceAll('-', '')));
    expectRefused(await signInWith(third), 'second_factor_needed');
    expect(await left()).toBe(7);
  });

  it('work only with the password, and only for their account', async () => {
    const other = await addPerson(harness, admin, 'viewer');
    expectRefused(
      await signIn(admin, ada.email, 'wrong', { remoteAddress: '10.3.1.1', code: codes[0] ?? '' }),
      'sign_in_refused',
    );
    ada = other;
    await turnOn();
    expectRefused(await signInWith(codes[0]), 'second_factor_needed');
  });

  it('cannot be guessed: wrong ones are counted with the codes of the app', async () => {
    const wrong = Array.from({ length: 12 }, () => signInWith('AAAA-BBBB-CCCC-DDDD'));
    const responses = await Promise.all(wrong);
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(7);
  });

  it('can be made anew with the password: the former ones end', async () => {
    for (const body of [{}, { currentPassword: 'wrong' }])
      expectGeneralError(await ada.call('POST', '/account/recovery-codes', body), 403, 'password_wrong');
    const { recoveryCodes } = await renew();
    expectRefused(await signInWith(codes[0]), 'second_factor_needed');
    personOf(admin, await signInWith(recoveryCodes[0]));
    expect(await left()).toBe(9);
  });

  it('end with the second factor, with a reset and with a new secret', async () => {
    await turnOn();
    expectRefused(await signInWith(codes[0]), 'second_factor_needed');
    await ada.ask('DELETE', '/account/second-factor', CURRENT);
    expect(await left()).toBe(0);
    expectGeneralError(await ada.call('POST', '/account/recovery-codes', CURRENT), 409, 'second_factor_off');
    await turnOn();
    const nowMs = harness.clock.now();
    await resetAccount(harness.pool, ada.email, nowMs, testActor(nowMs));
    const { rows } = await harness.pool.query('select from account_recovery_codes where account_id = $1', [
      ada.accountId,
    ]);
    expect(rows).toEqual([]);
  });

  it('are stored as hashes', async () => {
    const { rows } = await harness.pool.query<{ dump: string }>(
      'select string_agg(c::text, $1) as dump from account_recovery_codes c',
      [' '],
    );
    for (const code of codes) {
      const plain = code.replaceAll('-', '');
      for (const text of [code, plain, Buffer.from(code).toString('hex'), Buffer.from(plain).toString('hex')])
        expect(rows[0]?.dump).not.toContain(text);
    }
  });

  it('leave an entry in the audit log for each use, and for new ones', async () => {
    personOf(admin, await signInWith(codes[0]));
    await renew();
    const { rows } = await harness.pool.query(
      `select action, actor, before, after from audit_log where target = $1 and action like 'account.recovery%' order by id`,
      [`account ${ada.email}`],
    );
    expect(rows).toEqual([
      {
        action: 'account.recovery_code_used',
        actor: 'Ada',
        before: null,
        after: { unusedRecoveryCodes: 9 },
      },
      {
        action: 'account.recovery_codes',
        actor: 'Ada',
        before: { unusedRecoveryCodes: 9 },
        after: { unusedRecoveryCodes: 10 },
      },
    ]);
  });

  it.each(['12345', 'AAAA-BBBB-CCCC', 'AAAA-BBBB-CCCC-DDD1', '１２３４５６'])(
    '%s is neither a code of the app nor a recovery code',
    async (code) => {
      expectGeneralError(await signInWith(code), 400, 'body_invalid');
    },
  );
});
