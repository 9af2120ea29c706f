import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withSuperuser } from '../../src/db/embedded/login.js';

export type TestRole = { name: string; url: string; drop(): Promise<void> };

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
    async drop() {
      await withSuperuser(login, (client) => client.query(`drop role ${name}`));
    },
  };
}
