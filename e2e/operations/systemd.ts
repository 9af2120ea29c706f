import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requirePrograms } from './programs.js';

const UNIT = fileURLToPath(new URL('../../deploy/systemd/savepoint.service', import.meta.url));
/** Of 100, where systemd says 3.0 of 10. */
const MOST_EXPOSED = '30';

/** What systemd itself says of the unit: that it can be read, and how exposed the service is. */
export async function trySystemd(): Promise<readonly string[]> {
  requirePrograms(['systemd-analyze'], 'systemd');
  const exposure = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSED}`, UNIT);
  process.stdout.write(`${exposure.output.trim().split('\n').at(-1)}\n`);
  const verified = analyze('verify', UNIT);
  return [
    ...(exposure.isWell ? [] : [`the service is exposed:\n${exposure.output}`]),
    ...(verified.isWell ? [] : [`the unit has a mistake: ${verified.output}`]),
  ];
}

function analyze(...args: readonly string[]): { isWell: boolean; output: string } {
  const { stdout, stderr, status } = spawnSync('systemd-analyze', ['--no-pager', ...args], {
    encoding: 'utf8',
  });
  return { isWell: status === 0, output: stdout + stderr };
}
