import { execFileSync } from 'node:child_process';

/** @throws Error that names what is missing, and the packages of Debian that have it */
export function requirePrograms(names: readonly string[], packages: string): void {
  const missing = names.filter((name) => {
    try {
      execFileSync('sh', ['-c', `PATH="$PATH:/usr/sbin" command -v ${name}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length > 0)
    throw new Error(`Not installed: ${missing.join(', ')}. apt-get install ${packages}`);
}
