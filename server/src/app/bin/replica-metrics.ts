import { Counter, Gauge, Registry } from 'prom-client';
import type { Replica } from '../../platform/db/replica.js';

/** Whether the replica takes reads off the primary, and how many. */
export function createReplicaMetrics(replica: Pick<Replica, 'state'>): { registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'savepoint_replica_in_use',
    help: '1 while the replica of DATABASE_REPLICA_URL serves reads, 0 while the primary serves them instead.',
    registers,
    collect() {
      this.set(replica.state().problem === null ? 1 : 0);
    },
  });
  new Gauge({
    name: 'savepoint_replica_lag_seconds',
    help: 'How long the replica last took to have all that the primary had; while it is not in use, for how long it has not been.',
    registers,
    collect() {
      this.set(replica.state().lagSeconds);
    },
  });
  new Counter({
    name: 'savepoint_replica_reads_total',
    help: 'Lists, counts, dry runs and exports by the server that they were read from.',
    labelNames: ['server'] as const,
    registers,
    collect() {
      this.reset();
      for (const [server, reads] of Object.entries(replica.state().reads)) this.inc({ server }, reads);
    },
  });
  return { registry };
}
