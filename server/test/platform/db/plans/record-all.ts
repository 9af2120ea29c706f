import { createPool } from '../../../../src/platform/db/pool.js';
import { createTestDatabase } from '../../../support/database.js';
import { recordStatements, type Sent } from '../../../support/sent-statements.js';
import { ACCOUNT_STATEMENTS } from './account-statements.js';
import { ERASURE_STATEMENTS } from './erasure-statements.js';
import { EVENT_STATEMENTS } from './event-statements.js';
import { EXPERIMENT_STATEMENTS } from './experiment-statements.js';
import { connect } from './explain-all.js';
import { EXPORT_STATEMENTS } from './export-statements.js';
import { IMPORT_STATEMENTS } from './import-statements.js';
import { A_FEW, fillTables } from './large-tables.js';
import type { Reads } from './listed-statement.js';
import { OWN_ATTRIBUTE_STATEMENTS } from './own-attribute-statements.js';
import { PREPARED_STATEMENTS } from './prepared-statements.js';
import { STORE_STATEMENTS } from './store-statements.js';
import { STUDIO_STATEMENTS } from './studio-statements.js';
import { STUDIO_VIEW_STATEMENTS } from './studio-view-statements.js';

/** A statement that something on the lists has sent. */
export type Recorded = Sent & Readonly<{ what: string; reads: Reads | undefined }>;

/** Calls everything on the lists on a small installation. */
export async function recordAll(): Promise<Recorded[]> {
  const database = await createTestDatabase();
  const options = { url: database.url, size: 2, timeoutMs: 60_000, onError: () => {} };
  const service = createPool({ ...options, lookUps: 'planned once' });
  const admin = createPool({ ...options, lookUps: 'planned each time' });
  const installation = { url: database.url, service, admin, nowMs: Date.now() };
  try {
    const client = await connect(database.url);
    await fillTables(client, A_FEW);
    await client.end();
    const recorded: Recorded[] = [];
    const listed = [
      ...PREPARED_STATEMENTS,
      ...STUDIO_VIEW_STATEMENTS,
      ...ACCOUNT_STATEMENTS,
      ...STUDIO_STATEMENTS,
      ...EXPORT_STATEMENTS,
      ...EXPERIMENT_STATEMENTS,
      ...IMPORT_STATEMENTS,
      ...STORE_STATEMENTS,
      ...OWN_ATTRIBUTE_STATEMENTS,
      ...ERASURE_STATEMENTS,
      // Last: hourly work and retention delete what the others read.
      ...EVENT_STATEMENTS,
    ];
    for (const { what, call, reads } of listed) {
      const sent = await recordStatements(async () => call(installation));
      recorded.push(...sent.map((statement) => ({ ...statement, what, reads })));
    }
    return recorded;
  } finally {
    await Promise.all([service.end(), admin.end()]);
    await database.drop();
  }
}
