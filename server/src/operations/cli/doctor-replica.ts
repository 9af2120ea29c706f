import { createAdminPool } from '../../platform/db/database.js';
import { lookAtReplica, type ReplicaProblem } from '../../platform/db/look-at-replica.js';
import { requireOneServer } from '../../platform/db/one-server.js';
import type { Pool } from '../../platform/db/pool.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';

const ADVICE: Readonly<Record<ReplicaProblem, string>> = {
  unreachable: 'Start it, or check DATABASE_REPLICA_URL.',
  several_servers:
    'Let it lead to one standby at a time: the others are backup servers of the proxy (docs/production.md).',
  not_standby:
    'Set DATABASE_REPLICA_URL to a streaming standby of the primary, not to the primary itself or to a server that was promoted.',
  other_database:
    'Set DATABASE_REPLICA_URL to a standby of the server of DATABASE_URL, and to the same database.',
  ahead: 'Make it a standby of the present primary: pg_rewind, or a new base backup.',
  behind:
    'Look at pg_stat_replication on the primary. Give the standby more disk or CPU, or raise SAVEPOINT_REPLICA_MAX_LAG_MS.',
};

/** Whether the replica would be read. Without it the service works, with more load on the primary. */
export async function checkReplica(
  primary: Pool,
  settings: Pick<Settings, 'databaseReplicaUrl' | 'replicaMaxLagMs' | 'databaseTimeoutMs'>,
): Promise<DoctorFinding[]> {
  const { databaseReplicaUrl, replicaMaxLagMs } = settings;
  if (databaseReplicaUrl === undefined) return [];
  const name = 'replica of DATABASE_REPLICA_URL';
  const pool = createAdminPool(databaseReplicaUrl, settings);
  requireOneServer(pool);
  try {
    const look = await lookAtReplica(primary, pool, replicaMaxLagMs);
    if (look.problem !== null) {
      const what = look.problem === 'behind' ? { warning: look.message } : { problem: look.message };
      return [{ name, ...what, advice: `The primary serves its reads. ${ADVICE[look.problem]}` }];
    }
    return [{ name: `${name}, ${Math.round(look.lagMs)} ms behind` }, ...(await checkFeedback(pool, name))];
  } finally {
    await pool.end();
  }
}

/** Without feedback the primary removes rows that a long dry run on the standby still reads, and the standby ends the dry run. */
async function checkFeedback(pool: Pool, name: string): Promise<DoctorFinding[]> {
  const { rows } = await pool.query<{ isOn: boolean }>(
    `select current_setting('hot_standby_feedback')::bool as "isOn"`,
  );
  if (rows[0]?.isOn === true) return [];
  return [
    {
      name,
      warning:
        'hot_standby_feedback is off: long dry runs and exports may be cancelled there, and begin again on the primary',
      advice: 'Turn it on in postgresql.conf of the standby.',
    },
  ];
}
