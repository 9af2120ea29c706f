import { expect, it } from 'vitest';
import { readServiceAccount } from '../src/lib/service-account.js';

it('reads the key of a service account, and nothing else', () => {
  const file = { type: 'service_account', client_email: 'a@example.com', private_key: 'PEM', token_uri: 'x' };
  expect(readServiceAccount(JSON.stringify(file))).toEqual({ email: 'a@example.com', privateKey: 'PEM' });
  for (const text of ['', 'null', '{}', '{"client_email":"a@example.com"}'])
    expect(readServiceAccount(text)).toBeUndefined();
});
