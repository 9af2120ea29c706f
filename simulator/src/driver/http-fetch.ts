import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { plainResponse } from './plain-response.js';

/**
 * `fetch` on `node:http`, as far as the client needs it: text in, text out. Node's own takes three times the CPU for a request, and a
 * simulation shares the machine with the service that it measures.
 */
export function createHttpFetch(maxSockets: number): { fetch: typeof fetch; close(): void } {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets }),
  };
  return {
    fetch: (input, init = {}) =>
      new Promise((resolve, reject) => {
        const url = new URL(String(input));
        const isSecure = url.protocol === 'https:';
        const body = init.body === undefined || init.body === null ? '' : String(init.body);
        const outgoing = (isSecure ? httpsRequest : httpRequest)(url, {
          method: init.method ?? 'GET',
          agent: isSecure ? agents['https:'] : agents['http:'],
          headers: {
            ...(init.headers as Record<string, string>),
            ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
          },
          ...(init.signal && { signal: init.signal }),
        });
        outgoing.once('error', reject);
        outgoing.once('response', (incoming) => readResponse(incoming, resolve, reject));
        outgoing.end(body);
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function readResponse(
  incoming: IncomingMessage,
  resolve: (response: Response) => void,
  reject: (error: Error) => void,
): void {
  let body = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    body += chunk;
  });
  incoming.once('end', () => resolve(plainResponse(incoming.statusCode ?? 500, body, incoming.headers)));
  // Also called where the connection ends before the response does.
  incoming.once('error', reject);
}
