import { stablePort } from './stable-port.js';

/** The ports of one server of a cluster. */
export type NatsPorts = { client: number; route: number; health: number };

export async function clusterPorts(count: number): Promise<NatsPorts[]> {
  const ports: NatsPorts[] = [];
  while (ports.length < count) {
    ports.push({ client: await stablePort(), route: await stablePort(), health: await stablePort() });
  }
  return ports;
}

export async function isHealthy({ health }: NatsPorts): Promise<boolean> {
  return (await ask<{ status: string }>(health, 'healthz'))?.status === 'ok';
}

/** As the leader of the cluster sees it: only then can a stream be placed on all servers. */
export async function isComplete(ports: readonly NatsPorts[]): Promise<boolean> {
  if (!(await Promise.all(ports.map(isHealthy))).every(Boolean)) return false;
  if (ports.length === 1) return true;
  const views = await Promise.all(ports.map(({ health }) => ask<Jsz>(health, 'jsz')));
  return views.some(
    (view) => view?.meta_cluster?.replicas?.filter(({ current }) => current).length === ports.length - 1,
  );
}

type Jsz = { meta_cluster?: { replicas?: { current: boolean }[] } };

/** Undefined while there is no response. */
async function ask<Body>(port: number, path: string): Promise<Body | undefined> {
  try {
    return (await (await fetch(`http://127.0.0.1:${port}/${path}`)).json()) as Body;
  } catch {
    return undefined;
  }
}
