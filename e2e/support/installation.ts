import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.js';
import { cleanUp, temporaryFolder } from './service.js';

export type Installation = { SAVEPOINT_DATA_DIR: string; DATABASE_URL: string };

const databases: TestDatabase[] = [];

/**
 * The settings of an installation whose database is one of the PostgreSQL that all tests share. A cluster of its own takes two
 * seconds of CPU to make, and some more at each start: only tests of that cluster have one. Call `removeInstallations` in afterAll.
 */
export async function newInstallation(): Promise<Installation> {
  const database = await createTestDatabase();
  databases.push(database);
  return { SAVEPOINT_DATA_DIR: await temporaryFolder(), DATABASE_URL: database.url };
}

/** Ends the processes first, which hold connections. */
export async function removeInstallations(): Promise<void> {
  await cleanUp();
  for (const database of databases.splice(0)) await database.drop();
}
