import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeAt, stepAt } from '../../../src/platform/lib/totp.js';
import { generateMasterKey, sealedUnder } from '../../../src/platform/security/master-keys.js';
import { listSealedSecrets } from '../../../src/platform/security/sealed-secrets.js';
import { resealAll } from '../../../src/studio/sessions/reseal-secrets.js';
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
import { createHarness, type Harness, testActor, testMasterKeys } from '../../support/harness.js';

let harness: Harness;
let admin: AdminClient;
const masterKey = generateMasterKey();
beforeAll(async () => {
  harness = await createHarness({ masterKey });
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

let ada: Person;
let secret: Buffer;
let networks = 0;
const from = () => ({ remoteAddress: `10.1.${++networks}.1` });
const code = (steps = 0) => codeAt(secret, stepAt(harness.clock.now()) + steps);
const nextStep = () => harness.clock.advance(30_000);
const guesses = () => Array.from({ length: 40 }, (_, n) => codeAt(secret, 1_000 + n));

beforeEach(async () => {
  ada = await addPerson(harness, admin, 'owner');
  await startSecondFactor();
  // Of a million codes two may be the same, and a wrong one would be right.
  while (hasEqualCodes()) await startSecondFactor();
});

async function startSecondFactor(): Promise<void> {
  const start = { currentPassword: PASSWORD };
  const started = await ada.ask<{ secret: string; uri: string }>('POST', '/account/second-factor', start);
  expect(started.uri).toContain(`secret=${started.secret}&issuer=Savepoint`);
  secret = fromBase32(started.secret);
  expect(secret).toHaveLength(20);
}

/** Of those that a test may send, or the service accept. */
function hasEqualCodes(): boolean {
  const codes = [-1, 0, 1, 2, 3, 4, 5, 6, 7].map(code).concat(guesses());
  return new Set(codes).size < codes.length;
}

const turnOn = () => ada.ask('PUT', '/account/second-factor', { code: code() });

describe('a second factor', () => {
  it('is on once a code was confirmed, and is then required for every sign-in by password', async () => {
    personOf(admin, await signIn(admin, ada.email, PASSWORD, from()));
    expectGeneralError(
      await ada.call('PUT', '/account/second-factor', { code: code(5) }),
      422,
      'second_factor_code_wrong',
    );
    expect(await turnOn()).toMatchObject({ hasSecondFactor: true });
    expect(await ada.ask('GET', '/me')).toMatchObject({ account: { hasSecondFactor: true } });
    nextStep();
    expectRefused(await signIn(admin, ada.email, PASSWORD, from()), 'second_factor_needed');
    expectRefused(await signIn(admin, ada.email, 'wrong', { ...from(), code: code() }), 'sign_in_refused');
    expectRefused(
      await signIn(admin, ada.email, PASSWORD, { ...from(), code: code(5) }),
      'second_factor_needed',
    );
    personOf(admin, await signIn(admin, ada.email, PASSWORD, { ...from(), code: code() }));
  });

  it('accepts each code once, also of many requests at once, and no earlier code', async () => {
    await turnOn();
    expectRefused(
      await signIn(admin, ada.email, PASSWORD, { ...from(), code: code() }),
      'second_factor_needed',
    );
    nextStep();
    const once = code();
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => signIn(admin, ada.email, PASSWORD, { ...from(), code: once })),
    );
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expectRefused(
      await signIn(admin, ada.email, PASSWORD, { ...from(), code: code(-1) }),
      'second_factor_needed',
    );
  });

  it('cannot be guessed from many networks at once', async () => {
    await turnOn();
    nextStep();
    const responses = await Promise.all(
      guesses().map((guess) => signIn(admin, ada.email, PASSWORD, { ...from(), code: guess })),
    );
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(35);
  });

  it('can only be turned off with the password', async () => {
    await turnOn();
    for (const body of [{}, { currentPassword: 'wrong' }])
      expectGeneralError(await ada.call('DELETE', '/account/second-factor', body), 403, 'password_wrong');
    expect(await ada.ask('DELETE', '/account/second-factor', { currentPassword: PASSWORD })).toEqual({
      hasSecondFactor: false,
    });
    personOf(admin, await signIn(admin, ada.email, PASSWORD, from()));
  });

  it('stays in force until a new one is confirmed', async () => {
    await turnOn();
    await ada.ask('POST', '/account/second-factor', { currentPassword: PASSWORD });
    nextStep();
    personOf(admin, await signIn(admin, ada.email, PASSWORD, { ...from(), code: code() }));
  });

  it('is stored sealed and bound to its account, and is resealed with a new master key', async () => {
    await turnOn();
    await ada.ask('POST', '/account/second-factor', { currentPassword: PASSWORD });
    const sealedOf = async () => {
      const { rows } = await harness.pool.query<{ a: Buffer; b: Buffer }>(
        'select second_factor as a, second_factor_pending as b from accounts where id = $1',
        [ada.accountId],
      );
      return [rows[0]?.a, rows[0]?.b].map((each) => each ?? Buffer.alloc(0));
    };
    const [sealed = Buffer.alloc(0)] = await sealedOf();
    expect(sealed.includes(secret)).toBe(false);

    const other = await addPerson(harness, admin, 'viewer');
    await harness.pool.query('update accounts set second_factor = $2 where id = $1', [
      other.accountId,
      sealed,
    ]);
    nextStep();
    const moved = await signIn(admin, other.email, PASSWORD, { ...from(), code: code() });
    expect(moved.statusCode).toBe(500);
    await harness.pool.query('update accounts set second_factor = null where id = $1', [other.accountId]);

    const both = testMasterKeys(`${generateMasterKey()},${masterKey}`);
    const before = (await listSealedSecrets(harness.pool)).map(({ secondFactors }) => secondFactors);
    const counts = await resealAll(harness.pool, both, testActor(harness.clock.now()));
    expect([counts.secondFactors]).toEqual(before);
    for (const each of await sealedOf()) expect(sealedUnder(each)).toBe(both.primaryId);
    const rotated = await openAdminClient(harness, undefined, [], { masterKeys: both });
    personOf(rotated, await signIn(rotated, ada.email, PASSWORD, { ...from(), code: code() }));
    await rotated.close();
  });

  it.each([{}, { code: 123456 }, { code: '12345' }, { code: '１２３４５６' }, { code: '123456', x: 1 }])(
    'is not turned on by %j',
    async (body) => {
      expectGeneralError(await ada.call('PUT', '/account/second-factor', body), 400, 'body_invalid');
    },
  );
});
