import { connect, createServer, type Server, type Socket } from 'node:net';
import { stablePort } from './stable-port.js';

/** Stands between a node and its database, so that a test can take the database away from this node alone. */
export type DatabaseProxy = {
  /** The database's URL by way of the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones, as a database that was stopped does. */
  cut(): Promise<void>;
  /** Keeps every connection and lets nothing through, as a network that swallows packets does. */
  silence(): void;
  /** Cuts a connection at its next commit, once: before PostgreSQL gets it, or after PostgreSQL has done it. */
  cutAtNextCommit(when: 'before' | 'after'): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

/** A simple query as the service sends it: its text, and the NUL that ends it. */
const COMMIT = Buffer.from('commit\0');
/** PostgreSQL's response to one that succeeded. */
const COMMITTED = Buffer.from('COMMIT\0');

type Trap = { when: 'before' | 'after'; sprung: () => void };

/** With other databases, connections lead to each of them in turn. */
export async function startDatabaseProxy(databaseUrl: string, ...others: string[]): Promise<DatabaseProxy> {
  const targets = [databaseUrl, ...others].map((url) => new URL(url));
  const [target = new URL(databaseUrl)] = targets;
  let dialled = 0;
  const sockets = new Set<Socket>();
  let silent = false;
  let trap: Trap | undefined;
  let server: Server;
  const port = await stablePort();

  const dial = (): Socket => {
    const { searchParams, hostname, port } = targets[dialled++ % targets.length] ?? target;
    const host = searchParams.get('host') ?? hostname;
    const targetPort = Number(searchParams.get('port') ?? port);
    return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${targetPort}`) : connect(targetPort, host);
  };

  const relay = (from: Socket, to: Socket, forward: (chunk: Buffer) => void): void => {
    sockets.add(from);
    from.on('data', (chunk) => {
      if (!silent) forward(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      if (!silent) to.destroy();
    });
  };

  const listen = async (): Promise<void> => {
    server = createServer((client) => {
      const upstream = dial();
      // Set from the fatal commit on.
      let fatal: Trap | undefined;
      const spring = () => {
        client.destroy();
        fatal?.sprung();
      };
      relay(client, upstream, (chunk) => {
        const commitAt = trap === undefined ? -1 : chunk.indexOf(COMMIT);
        if (commitAt < 0) {
          upstream.write(chunk);
          return;
        }
        fatal = trap;
        trap = undefined;
        if (fatal?.when === 'after') upstream.write(chunk);
        else upstream.write(chunk.subarray(0, commitAt), spring);
      });
      relay(upstream, client, (chunk) => {
        if (fatal === undefined) client.write(chunk);
        else if (chunk.includes(COMMITTED)) spring();
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  };
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();

  return {
    url: `postgres://${target.username}:${target.password}@127.0.0.1:${port}${target.pathname}?sslmode=disable`,
    cut,
    silence: () => {
      silent = true;
    },
    cutAtNextCommit: (when) =>
      new Promise((sprung) => {
        trap = { when, sprung };
      }),
    async restore() {
      // What was swallowed is lost: these connections can never be right again.
      if (silent) for (const socket of sockets) socket.destroy();
      silent = false;
      if (!server.listening) await listen();
    },
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}
