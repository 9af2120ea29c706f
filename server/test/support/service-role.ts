import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withSuperuser } from '../../src/platform/embedded-postgres/login.js';

export type TestRole = {
  name: string;
  url: string;
  /** Also those that are ending anyway. Resolves when none is left. */
  endConnections(): Promise<void>;
  drop(): Promise<void>;
};

const END_MS = 30_000;

/** A role that may log in to the server of a test database and has no other rights. Drop it after the database. */
export async function createTestRole(databaseUrl: string): Promise<TestRole> {
  const name = `role_${randomBytes(8).toString('hex')}`;
  const server = new URL(databaseUrl);
  const login = {
    socketDir: server.searchParams.get('host') ?? '',
    port: Number(server.searchParams.get('port')),
    password: decodeURIComponent(server.password),
  };
  await withSuperuser(login, (client) =>
    client.query(`create role ${name} login password ${pg.escapeLiteral(login.password)}`),
  );
  const url = new URL(databaseUrl);
  url.username = name;
  return {
    name,
    url: url.href,
    async endConnections() {
      await withSuperuser(login, (client) =>
        client.query('select pg_terminate_backend(pid, $2) from pg_stat_activity where usename = $1', [
          name,
          END_MS,
        ]),
      );
    },
    async drop() {
      await withSuperuser(login, (client) => client.query(`drop role ${name}`));
    },
  };
}
