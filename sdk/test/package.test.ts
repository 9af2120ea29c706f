import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundleClient } from './support/bundle.js';

const MAX_COMPRESSED_BYTES = 11_000;
const PACKAGE = fileURLToPath(new URL('../', import.meta.url));

describe('the package', () => {
  it('is one file without imports for a browser, under 11 kB compressed', async () => {
    const code = await bundleClient();
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_COMPRESSED_BYTES);
  });

  it('depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(`${PACKAGE}package.json`, 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  it.each(['index.ts', 'node/index.ts', 'server/index.ts'])(
    'documents every export of %s with an example',
    (entry) => {
      const names = [
        ...readFileSync(`${PACKAGE}src/${entry}`, 'utf8').matchAll(/\b(\w+)(?=,? ?\}| ?,|,\n)/g),
      ].map(([, name]) => name as string);
      expect(names.length).toBeGreaterThan(0);
      const comments = documented();
      expect(names.filter((name) => !comments.get(name)?.includes('@example'))).toEqual([]);
    },
  );

  it('documents every method of Savepoint with an example', () => {
    const source = readFileSync(`${PACKAGE}src/savepoint.ts`, 'utf8');
    const methods = [
      ...source.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)?\n {2}(?:async )?([a-z]\w+)[<(]/g),
    ].filter(([, , name]) => name !== 'constructor');
    const names = methods.filter(([, comment]) => comment?.includes('@example')).map(([, , name]) => name);
    expect(names).toEqual([
      'login',
      'logout',
      'deleteAccount',
      'track',
      'purchase',
      'saved',
      'flush',
      'close',
    ]);
  });
});

/** The comment before each exported declaration of the source, by name. */
function documented(): Map<string, string> {
  const comments = new Map<string, string>();
  const src = `${PACKAGE}src`;
  for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue;
    const text = readFileSync(`${src}/${path}`, 'utf8');
    const declarations =
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\nexport (?:async )?(?:function|class|type|const) (\w+)/g;
    for (const [, comment, name] of text.matchAll(declarations))
      comments.set(name as string, comment as string);
  }
  return comments;
}
