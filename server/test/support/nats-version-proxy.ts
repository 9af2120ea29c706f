import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type NatsVersionProxy = { url: string; close(): Promise<void> };

/**
 * A real NATS server that says it is of another version. The server speaks first, with one line of JSON that names its
 * version; everything else goes through as it is.
 */
export async function startNatsVersionProxy(natsUrl: string, version: string): Promise<NatsVersionProxy> {
  const { hostname, port } = new URL(natsUrl);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => {
        client.destroy();
        server.destroy();
      });
    }
    let greeting = '';
    const greet = (chunk: Buffer): void => {
      greeting += chunk.toString('latin1');
      if (!greeting.includes('\r\n')) return;
      server.off('data', greet);
      client.write(greeting.replace(/"version":"[^"]*"/, `"version":"${version}"`), 'latin1');
      server.pipe(client);
    };
    server.on('data', greet);
    client.pipe(server);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
