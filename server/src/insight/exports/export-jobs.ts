import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { lockStudio } from '../../studio/accounts/member-queries.js';
import type { Span } from '../../studio/jobs/export-span.js';
import type { ExportFormat } from './export-format.js';
import { type ExportJob, MAX_KEPT, MAX_KEPT_BYTES, MAX_OPEN, OPEN_MS } from './export-job.js';
import {
  findExportJob,
  insertExportJob,
  measureExportJobs,
  updateExportCancelled,
} from './export-job-queries.js';
import { estimateEvents } from './export-queries.js';

export type WantedExport = Readonly<{
  tenantId: number;
  gameId: number;
  format: ExportFormat;
  span: Span;
}>;

export type StartedExport =
  | Readonly<{ outcome: 'started'; job: ExportJob }>
  | Readonly<{ outcome: 'too_many_open' }>
  | Readonly<{ outcome: 'too_much_kept' }>;

export async function startExport(pool: Pool, wanted: WantedExport, actor: Actor): Promise<StartedExport> {
  const { tenantId, gameId, format, span } = wanted;
  const expectedEvents = await estimateEvents(pool, gameId, span);
  return transaction(pool, async (client): Promise<StartedExport> => {
    // Concurrent starts are counted one after the other.
    await lockStudio(client, tenantId);
    const { kept, open, bytes } = await measureExportJobs(client, tenantId);
    if (open >= MAX_OPEN) return { outcome: 'too_many_open' };
    if (bytes >= MAX_KEPT_BYTES || kept >= MAX_KEPT) return { outcome: 'too_much_kept' };
    const job = await insertExportJob(client, {
      exportId: uuid7(actor.nowMs),
      tenantId,
      gameId,
      format,
      ...span,
      expectedEvents,
      createdBy: actor.name,
      createdAt: actor.nowMs,
      expiresAt: actor.nowMs + OPEN_MS,
    });
    if (job === undefined) throw new Error('an export has disappeared');
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId,
      action: 'export.start',
      target: `export ${job.exportId}`,
      before: null,
      after: { format, ...span },
    });
    return { outcome: 'started', job };
  });
}

/** Ends an export in any state, and deletes its file. False if the game has no such export. */
export function cancelExport(pool: Pool, gameId: number, exportId: string, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    const job = await findExportJob(client, gameId, exportId);
    if (job === undefined || !(await updateExportCancelled(client, exportId, actor.nowMs))) return false;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'export.cancel',
      target: `export ${exportId}`,
      before: { state: job.state, events: job.shownEvents },
      after: null,
    });
    return true;
  });
}

/** A download is recorded in the audit log, like a change. */
export function auditDownload(pool: Pool, job: ExportJob, actor: Actor): Promise<void> {
  return transaction(pool, (client) =>
    insertAuditEntry(client, actor, {
      tenantId: null,
      gameId: job.gameId,
      action: 'export.download',
      target: `export ${job.exportId}`,
      before: null,
      after: { events: job.shownEvents, bytes: job.bytes },
    }),
  );
}
