import type { JsonResponse } from '../support/service.js';

export const put = (url: string, headers: Readonly<Record<string, string>>, body: unknown) =>
  send('PUT', url, headers, body);

export const patch = (url: string, headers: Readonly<Record<string, string>>, body: unknown) =>
  send('PATCH', url, headers, body);

async function send(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<JsonResponse> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
