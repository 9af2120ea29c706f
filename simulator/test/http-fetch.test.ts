import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpFetch } from '../src/driver/http-fetch.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function start(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const http = createHttpFetch(4);
  closing.push(http.close, () => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`, fetch: http.fetch };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

describe('the fetch of simulated players', () => {
  it('sends method, headers and text, and gives status, headers and text back', async () => {
    const { url, fetch } = await start(async (request, response) => {
      const { method, url: path, headers } = request;
      const seen = { method, path, build: headers['x-client-build'], length: headers['content-length'] };
      response.writeHead(202, { 'Retry-After': '7' });
      response.end(JSON.stringify({ ...seen, body: await bodyOf(request) }));
    });
    const body = '["ä€😀"]';
    const response = await fetch(url, { method: 'POST', headers: { 'X-Client-Build': '1.2' }, body });
    expect(response.status).toBe(202);
    expect(response.ok).toBe(true);
    expect(response.headers.get('Retry-After')).toBe('7');
    expect(response.headers.get('etag')).toBeNull();
    const length = String(Buffer.byteLength(body));
    const seen = { method: 'POST', path: '/path', build: '1.2', length, body };
    expect(JSON.parse(await response.text())).toEqual(seen);
  });

  it('uses a connection again', async () => {
    const ports = new Set<number | undefined>();
    const { url, fetch } = await start((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    for (let n = 0; n < 3; n++) await (await fetch(url)).text();
    expect(ports.size).toBe(1);
  });

  it('fails where the connection is cut in the middle of a response', async () => {
    const { url, fetch } = await start((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(fetch(url)).rejects.toThrow();
  });

  it('fails when it is aborted', async () => {
    const abort = new AbortController();
    const { url, fetch } = await start(() => abort.abort());
    await expect(fetch(url, { signal: abort.signal })).rejects.toThrow(/abort/i);
  });
});
