import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ProxiedNode = Readonly<{ name: string; sqlPort: number; restPort: number }>;

const CHECKED = 'inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions';

/**
 * HAProxy as in docs/production.md: one address leads to the primary, the other one to one standby at a time. Whether a node is one or the other
 * is what its Patroni responds.
 */
export async function startHaproxy(
  folder: string,
  { primaryPort, replicaPort }: Readonly<{ primaryPort: number; replicaPort: number }>,
  nodes: readonly ProxiedNode[],
): Promise<ChildProcess> {
  const server = ({ name, sqlPort, restPort }: ProxiedNode) =>
    `  server ${name} 127.0.0.1:${sqlPort} check port ${restPort} ${CHECKED}`;
  const config = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    ...listen('primary', primaryPort),
    ...nodes.map(server),
    ...listen('replica', replicaPort),
    ...nodes.map(
      (node, n) => `${server(node)} ${n === 0 ? 'on-marked-up shutdown-backup-sessions' : 'backup'}`,
    ),
    '',
  ];
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config.join('\n'));
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  return spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
}

function listen(role: 'primary' | 'replica', port: number): string[] {
  return [
    `listen ${role}`,
    `  bind 127.0.0.1:${port}`,
    `  option httpchk OPTIONS /${role}`,
    '  http-check expect status 200',
  ];
}
