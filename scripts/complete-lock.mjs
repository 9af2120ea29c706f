// Adds to package-lock.json the optional packages of other platforms that the registry in use does not carry. `npm ci`
// refuses a lock file that does not name them all, also on machines that would never install them. Run it after a change
// of dependencies: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const PLATFORM = /(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-([a-z0-9]+)/;
const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`];
    const platform = PLATFORM.exec(name);
    if (known !== undefined || platform === null) continue;
    const [, os, architecture] = platform;
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ''),
      cpu: [architecture.startsWith('arm') && architecture !== 'arm64' ? 'arm' : architecture],
      ...(entry.dev ? { dev: true } : {}),
      ...(os === 'linux' && /musl|gnu/.test(name)
        ? { libc: [name.includes('musl') ? 'musl' : 'glibc'] }
        : {}),
      optional: true,
      os: [os],
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock file is complete.' : `Added ${added.length}: ${added.join(', ')}`);
