import { connect } from 'node:net';

/**
 * A keep-alive connection that handles one request at a time and only `Content-Length` of HTTP. It takes a tenth of the CPU of
 * Node's own client, so that the generator leaves the CPU to what it measures.
 */
export async function openRawConnection(hostname, port) {
  const socket = connect({ host: hostname, port, noDelay: true });
  let received = [];
  let missing = Number.NaN;
  let pending;
  let status = 0;

  socket.on('data', (chunk) => {
    received.push(chunk);
    if (Number.isNaN(missing)) {
      const all = received.length === 1 ? chunk : Buffer.concat(received);
      const end = all.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = all.latin1Slice(0, end);
      status = Number(head.slice(9, 12));
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1]) - (all.length - end - 4);
    } else missing -= chunk.length;
    if (missing > 0) return;
    const response = received;
    received = [];
    missing = Number.NaN;
    pending?.(status, response);
  });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  // An open loop must not hang on a broken connection, which counts as a failed response.
  socket.on('close', () => pending?.(0)).on('error', () => {});

  return {
    /** `onResponse` gets the status and the chunks of the response. */
    send(request, onResponse) {
      pending = onResponse;
      socket.write(request);
    },
    close: () => {
      pending = undefined;
      socket.destroy();
    },
  };
}

/** Sends a request on a raw connection; resolves with the status and the chunks of the response. */
export function exchange(connection, request) {
  return new Promise((resolve) => {
    connection.send(request, (status, response) => resolve({ status, response }));
  });
}

/** A whole request as bytes; the body is a text or bytes. */
export function rawRequest(method, path, headers, body = '') {
  const lines = Object.entries({
    host: '127.0.0.1',
    ...headers,
    ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
  });
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return typeof body === 'string' ? Buffer.from(head + body) : Buffer.concat([Buffer.from(head), body]);
}
