import type { Registry } from 'prom-client';

/** The value of one line of the metrics, labels included in its name; 0 where it has not been counted yet. */
export async function metricValue(registry: Registry, name: string): Promise<number> {
  const lines = (await registry.metrics()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0);
}
