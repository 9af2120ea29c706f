/** @module-tag full */
import { afterAll, describe, expect, it } from 'vitest';
import { codeAt, stepAt } from '../server/src/platform/lib/totp.js';
import { fromBase32 } from '../server/test/support/account-calls.js';
import { HAS_BROWSER, NEEDS_BROWSER } from './support/browser.js';
import { closeConsole, openConsole } from './support/console.js';
import { newInstallation } from './support/installation.js';
import { readQrCode } from './support/qr-code.js';
import { type Service, startService } from './support/service.js';

afterAll(closeConsole);

const PASSWORD = 'nine purple otters sing';

const send = (
  { ops }: Service,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  fetch(`${ops}/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const tokenIn = (service: Service) => {
  const [, origin, token] = /(http\S+)\/console\/sign-in#token=(\S+)/.exec(service.output()) ?? [];
  expect(origin).toBe(service.ops);
  return token;
};

const cookieOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .find((each) => each.startsWith('savepoint_session='))
    ?.split(';', 1)[0] ?? '';

it('prints a link at each start that signs in once; with the password set then, people stay signed in through a restart', async () => {
  const settings = { ...(await newInstallation()), SAVEPOINT_WORKERS: '1' };
  const first = await startService(settings);
  const unused = tokenIn(first);
  await first.interrupt();

  const second = await startService(settings);
  expect((await send(second, 'POST', '/sign-in/link', { token: unused })).status).toBe(404);
  const token = tokenIn(second);
  const response = await send(second, 'POST', '/sign-in/link', { token });
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: { csrfToken: string } };
  const session = { cookie: cookieOf(response), 'x-csrf-token': data.csrfToken };
  const changed = await send(second, 'PUT', '/account/password', { newPassword: PASSWORD }, session);
  expect(changed.status).toBe(200);
  expect((await send(second, 'POST', '/sign-in/link', { token })).status).toBe(404);
  await second.interrupt();

  const third = await startService(settings);
  const me = await send(third, 'GET', '/me', undefined, session);
  expect(await me.json()).toMatchObject({ data: { tenantId: 'demo-studio', role: 'owner' } });
  const credentials = { email: 'demo@localhost', password: PASSWORD };
  expect((await send(third, 'POST', '/sign-in', credentials)).status).toBe(200);
  expect((await send(third, 'POST', '/sign-in', { ...credentials, password: 'wrong' })).status).toBe(401);
  const html = await send(third, 'POST', '/sign-in', credentials, { origin: 'https://evil.example' });
  expect(html.status).toBe(403);
  await third.interrupt();
});

describe.skipIf(!HAS_BROWSER)(`a second factor in the console${NEEDS_BROWSER}`, () => {
  it('is turned on by a QR code and used with a recovery code, with the keyboard alone', {
    tags: ['full'],
  }, async () => {
    const { owner, service } = await openConsole();
    const { page, problems } = owner;
    await owner.go('/settings?tab=account');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();

    await page.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const uri = await readQrCode(page.getByRole('img', { name: 'QR code for your authenticator app' }));
    expect(uri).toMatch(
      /^otpauth:\/\/totp\/Savepoint:olga%40studio\.example\?secret=[A-Z2-7]{32}&issuer=Savepoint$/,
    );
    const secret = new URL(uri ?? '').searchParams.get('secret') ?? '';
    await page.getByText(secret, { exact: true }).waitFor();
    // The field has the focus already.
    await page.keyboard.type(codeAt(fromBase32(secret), stepAt(Date.now())));
    await page.keyboard.press('Enter');
    const shown = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await shown.first().waitFor();
    const codes = await shown.allTextContents();
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'I have kept them' }).click();

    await page.getByRole('button', { name: /Olga/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/\/sign-in/);
    await page.getByLabel('Email').fill('olga@studio.example');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const code = page.getByLabel('Code of your authenticator app, or a recovery code');
    await code.waitFor();
    await page.keyboard.type('AAAA-BBBB-CCCC-DDDD');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong, or was used already.').waitFor();
    await code.fill(codes[0]?.toLowerCase() ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.goto(`${service.ops}/console/demo-studio/demo-game/settings?tab=account`);
    await page.getByText('9 recovery codes left.').waitFor();
    await page.getByRole('button', { name: 'Make new recovery codes' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await shown.allTextContents()).not.toContain(codes[1]);
    expect(problems).toEqual([]);
  });
});
