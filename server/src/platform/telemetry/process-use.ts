import { readdirSync, readFileSync } from 'node:fs';
import { Counter, Gauge, type Registry } from 'prom-client';

/** What a process uses of the machine: CPU and file descriptors, which every connection takes one of. */
export function watchProcessUse(registry: Registry): void {
  const registers = [registry];
  let counted = 0;
  new Counter({
    name: 'savepoint_cpu_seconds_total',
    help: 'CPU time of the API workers, in user mode and in the kernel, since their start.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6;
      this.inc(seconds - counted);
      counted = seconds;
    },
  });
  const limit = descriptorLimit();
  if (limit === undefined) return;
  new Gauge({
    name: 'savepoint_descriptors',
    help: 'Open file descriptors; of the worker with the most.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(readdirSync('/proc/self/fd').length);
    },
  });
  new Gauge({
    name: 'savepoint_descriptors_limit',
    help: 'File descriptors that a worker may open.',
    aggregator: 'min',
    registers,
    collect() {
      this.set(limit);
    },
  });
}

/** Undefined where the system does not say so in a file, or sets no limit. */
function descriptorLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
