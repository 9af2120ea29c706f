import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { WORKSPACES } from '../../scripts/workspaces.mjs';

/** What documents name is there: links, files and folders move along with what they lead to. */

/** `path` is relative to the root of the repository. */
type Document = { path: string; text: string };

type Rule = {
  name: string;
  /** What leads nowhere, as `path: what`. */
  check: (documents: readonly Document[]) => string[];
  /** A document that breaks the rule once, and beside that shows what the rule allows. */
  breach: Document;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WINGS = readdirSync(`${ROOT}server/src`);
const FOLDERS = [
  ...['server', ...WORKSPACES, 'docs', 'e2e', 'bench', 'scripts', 'console', 'sdk', 'clients', 'simulator'],
  ...['deploy', 'examples', 'openapi', '.ci'],
];
/** Made by a build, a run or an operator: none of it is in the repository. */
const MADE = /(?:^|\/)(?:node_modules|dist|coverage|test-results|\.env)(?:\/|$)/;

const FILES = ['', ...FOLDERS].flatMap(filesOf);
const PATHS = new Set([...FILES, ...FILES.flatMap(foldersOf)]);
const SCRIPTS = Object.keys((JSON.parse(readFile('package.json')) as { scripts: object }).scripts);

const RULES: Rule[] = [
  {
    name: 'a relative link leads to a file or folder, and to a heading of it',
    check: (documents) => documents.flatMap(lostLinks),
    breach: {
      path: 'docs/a.md',
      text: '# A b\n[a](#a-b) [b](../README.md#map) [c](https://a.example/b) `[d](e.md)` [f](../README.md#nowhere)',
    },
  },
  {
    name: 'a path in backticks leads to a file or folder',
    check: (documents) => documents.flatMap(lostPaths),
    breach: {
      path: 'docs/a.md',
      text: '`server/src` `npm test -- server/test/core` `server/test/*.test.ts` `/v1/core/a` `core/a/<name>` `server/nowhere`',
    },
  },
  {
    name: 'a source file in backticks exists, by its name or the end of its path',
    check: (documents) => documents.flatMap(lostFiles),
    breach: {
      path: 'docs/a.md',
      text: '`documents.test.ts` `sessions/login.ts` `…/login.ts` `<noun>-routes.ts` `features/login.ts`',
    },
  },
  {
    name: 'a script of npm exists',
    check: (documents) => documents.flatMap(lostScripts),
    breach: { path: 'docs/a.md', text: '`npm run generate`\n```sh\nnpm run nothing:at-all\n```' },
  },
  {
    name: 'a hop of the walks is a file of server/src',
    check: (documents) => documents.flatMap(lostHops),
    breach: {
      path: 'ARCHITECTURE.md',
      text: '## The walks\n| a | `core/sessions/login` → `…/api-keys` → `…/nowhere` |\n## Tables\n`…/games`',
    },
  },
];

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...FILES.filter((path) => /^(?:docs|server|bench|statistics)\/.*\.md$/.test(path)),
].map((path) => ({ path, text: readFile(path) }));

describe.each(RULES)('$name', ({ check, breach }) => {
  it('holds', () => {
    expect(DOCUMENTS.length).toBeGreaterThan(50);
    expect(check(DOCUMENTS)).toEqual([]);
  });

  it('is noticed when broken', () => {
    expect(check([breach])).toHaveLength(1);
  });
});

describe('the pages of the wings', () => {
  const pages = new Map(
    DOCUMENTS.filter(({ path }) => path.startsWith('docs/wings/')).map(({ path, text }) => [
      posix.basename(path, '.md'),
      text,
    ]),
  );

  it('are there, and none has more than 120 lines', () => {
    expect([...pages.keys()].sort()).toEqual([...WINGS].sort());
    for (const [wing, text] of pages) expect(text.trimEnd().split('\n').length, wing).toBeLessThan(121);
  });

  it.each([...pages])('%s names its folders', (wing, text) => {
    const src = `server/src/${wing}/`;
    const folders = [...PATHS].filter((path) => path.startsWith(src) && !FILES.includes(path));
    const withFiles = folders.filter((folder) => FILES.some((path) => posix.dirname(path) === folder));
    expect(namesIn(text, 'Folders').sort()).toEqual(withFiles.map((path) => path.slice(src.length)).sort());
  });

  it('name each table once', () => {
    const schema = readFile('server/schema.sql');
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+)(?! PARTITION)[ (]/gm)].map(([, name]) => name);
    expect([...pages.values()].flatMap((text) => namesIn(text, 'Tables')).sort()).toEqual(tables.sort());
  });

  it('name their modules', () => {
    const modules = FILES.flatMap((path) => {
      const wing = MANIFEST.exec(path)?.[1];
      const [, name] = /^ {2}name: '(\w+)'/m.exec(wing === undefined ? '' : readFile(path)) ?? [];
      return wing === undefined || name === undefined ? [] : [{ wing, name }];
    });
    expect(modules.length).toBeGreaterThan(20);
    const isNamed = ({ wing, name }: (typeof modules)[number]) =>
      sectionOf(pages.get(wing) ?? '', 'Modules').includes(`\`${name}\``);
    expect(modules.filter((module) => !isNamed(module))).toEqual([]);
  });
});

it('every measurement has a row in the list of measurements', () => {
  const rows = readFile('bench/README.md').match(/^\| `.*$/gm) ?? [];
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  const found = FILES.filter((path) => /^bench\/[\w-]+\.mjs$/.test(path)).map((path) =>
    posix.basename(path, '.mjs'),
  );
  const parts = ['main', 'run', 'items', 'sections'];
  expect(listed.sort()).toEqual(found.filter((name) => !parts.includes(name)).sort());
});

it('every decision has a line in the index of decisions', () => {
  const names = (paths: readonly string[]) =>
    [...new Set(paths.filter((name) => /^\d{4}-/.test(name)))].sort();
  const index = readFile('docs/adr/README.md');
  const listed = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(names(listed)).toEqual(names(readdirSync(`${ROOT}docs/adr`)));
});

/** `module.ts` of a folder, or of a wing that is one module. */
const MANIFEST = /^server\/src\/(\w+)\/(?:.+\/)?(?:\w+-)?module\.ts$/;

/** What stands in backticks in the rows of a section: in the first column for folders, in all columns for tables. */
function namesIn(text: string, title: string): string[] {
  const rows = sectionOf(text, title).match(/^\| .*$/gm) ?? [];
  const cells = title === 'Folders' ? rows.map((row) => row.split('|')[1] ?? '') : rows;
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

function sectionOf(text: string, title: string): string {
  return text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

// --- Reading documents --------------------------------------------------------------------------------------------

function lostLinks(document: Document): string[] {
  const prose = withoutFences(document.text).replace(CODE, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !isThere(document, target))
    .map((target) => `${document.path}: ${target}`);
}

function isThere(document: Document, target: string): boolean {
  const [path = '', heading] = target.split('#');
  const to = path === '' ? document.path : posix.join(posix.dirname(document.path), path);
  if (path !== '' && !existsSync(`${ROOT}${to}`)) return false;
  if (heading === undefined || !to.endsWith('.md')) return true;
  return headingsOf(path === '' ? document.text : readFile(to)).has(heading);
}

/** As GitHub writes them. A heading that occurs twice has a number the second time. */
function headingsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#+ +(.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = slug;
    for (let n = 1; found.has(name); n++) name = `${slug}-${n}`;
    found.add(name);
  }
  return found;
}

function lostPaths(document: Document): string[] {
  return wordsInCode(document)
    .filter((word) => startsWithOneOf(word, [...FOLDERS, ...WINGS]) && !isFoundPath(word))
    .map((word) => `${document.path}: ${word}`);
}

function lostFiles(document: Document): string[] {
  return wordsInCode(document)
    .filter((word) => /\w\.(?:tsx?|mjs|sql)$/.test(word) && !startsWithOneOf(word, FOLDERS))
    .map((word) => word.replace(/^(?:…|\.{0,2})\//, ''))
    .filter((word) => !FILES.some((path) => `/${path}`.endsWith(/^[_-]/.test(word) ? word : `/${word}`)))
    .map((word) => `${document.path}: ${word}`);
}

function lostScripts({ path, text }: Document): string[] {
  return [...text.matchAll(/\bnpm run ([\w:-]+)/g)]
    .map(([, script = '']) => script)
    .filter((script) => !SCRIPTS.includes(script))
    .map((script) => `${path}: npm run ${script}`);
}

/** `…` is the folder of the hop before. */
function lostHops({ path, text }: Document): string[] {
  const walks = text.split(/^## /m).find((section) => section.startsWith('The walks')) ?? '';
  const hops = walks.split('\n').flatMap((line) => {
    let folder = '';
    return [...line.matchAll(/`((?:[\w-]+|…)\/[\w./-]+)`/g)].map(([, hop = '']) => {
      const file = hop.replace('…', folder);
      folder = posix.dirname(file);
      return file;
    });
  });
  return hops.filter((hop) => !PATHS.has(`server/src/${hop}.ts`)).map((hop) => `${path}: ${hop}`);
}

const CODE = /`[^`\n]+`/g;

/** The words of what stands in backticks, but for those with a part that the reader fills in. */
function wordsInCode({ text }: Document): string[] {
  const spans = withoutFences(text).match(CODE) ?? [];
  return spans
    .flatMap((span) => span.slice(1, -1).split(/[\s,;:=()'"]+/))
    .filter((word) => !/[<>{}$]|.…/.test(word) && !MADE.test(word));
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}

function startsWithOneOf(word: string, folders: readonly string[]): boolean {
  return folders.some((folder) => word.startsWith(`${folder}/`));
}

/** From the root, or from the source of the server; `*` stands for a part of a name. */
function isFoundPath(word: string): boolean {
  return [word, `server/src/${word}`, `server/src/${word}.ts`]
    .map((path) => path.replace(/\/$/, ''))
    .some((path) => {
      if (!path.includes('*')) return PATHS.has(path);
      const pattern = new RegExp(
        `^${path
          .split('*')
          .map((part) => part.replace(/[.+()]/g, '\\$&'))
          .join('[^/]*')}$`,
      );
      return FILES.some((file) => pattern.test(file));
    });
}

/** All files below a folder of the root; of the root itself, its own. */
function filesOf(folder: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: folder !== '', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(ROOT, posix.join(entry.parentPath, entry.name)))
    .filter((path) => !MADE.test(path));
}

function readFile(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8');
}

function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
