import { afterAll, expect, it } from 'vitest';
import { cleanUp, type Service, startService, temporaryFolder } from './support/service.js';

afterAll(cleanUp);

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
  const settings = { SAVEPOINT_DATA_DIR: await temporaryFolder(), SAVEPOINT_WORKERS: '1' };
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
