import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What the documents tell people to write below the repository is one `git add .` from being public. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Configurations that a studio may want to commit: no secret and no player is in them. */
const HARMLESS = ['config.json', 'document.json', 'level-complete.json', 'rates.csv', 'stores.json'];

/** Files that a command of a document writes, or reads because the reader has written it. */
function namedInDocuments(): readonly string[] {
  const documents = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const named = documents.flatMap((document) =>
    [
      ...read(document).matchAll(
        /(?:>>? ?|--out[ =]|--file[ =])((?:[\w-]+\/)*[\w-]*\.(?:env|json|csv|txt|dump|ndjson(?:\.gz)?))(?![\w/])/g,
      ),
    ].map(([, path = '']) => path),
  );
  return [...new Set(named)];
}

/** By the `.gitignore` of this repository alone, in an empty one. */
function ignoredByGit(paths: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-ignored-'));
  try {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'core.excludesFile=/dev/null', ...args], { cwd: folder, encoding: 'utf8' });
    git('init', '--quiet');
    copyFileSync(join(ROOT, '.gitignore'), join(folder, '.gitignore'));
    return git('check-ignore', ...paths)
      .trim()
      .split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('git ignores settings with secrets, keys, and exports with data of players', () => {
  const documented = namedInDocuments().filter((path) => !HARMLESS.includes(path));
  expect(documented).toEqual(expect.arrayContaining(['deploy/.env', 'savepoint.dump', 'key.json']));
  const secrets = ['.env', 'deploy/.env.production', 'data/master-key', 'nats/savepoint.creds', 'ca.key'];
  const paths = [...new Set([...documented, ...secrets])];
  expect(ignoredByGit(paths)).toEqual(paths);
});

it('Docker ignores all that git ignores, so that no layer of an image has it', () => {
  const patterns = (file: string) =>
    read(file)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  // Docker's patterns begin at the root, and those of git without a slash in between hold in each folder.
  const forDocker = patterns('.gitignore').map((pattern) => {
    const name = pattern.replace(/\/$/, '');
    if (name.startsWith('/')) return name.slice(1);
    return name.includes('/') ? name : `**/${name}`;
  });
  expect(patterns('.dockerignore')).toEqual(['.git', ...forDocker]);
});
