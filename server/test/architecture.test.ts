import { describe, expect, it } from 'vitest';
import {
  type Import,
  isNode,
  isSql,
  lineOf,
  type Node,
  nameOf,
  parse,
  readSources,
  type Source,
  textOf,
  visit,
} from './support/source.js';

/**
 * The rules that keep the source in the shape ARCHITECTURE.md describes. Each is tried twice: on the source as it is,
 * which must not break it, and on a `breach`, which must, so that a rule cannot fall asleep.
 */

type Rule = {
  name: string;
  /** What breaks the rule, each as `path:line` and, where it is not obvious, why. */
  check: (sources: readonly Source[]) => string[];
  /** Files that break it once. */
  breach: Record<string, string>;
};

const MAX_LINES = 400;

const RULES: Rule[] = [
  {
    name: 'lib imports nothing of the project: its helpers stay pure, and can be read and tested alone',
    check: imports(({ from, to }) => isIn(from, 'lib') && !isIn(to, 'lib')),
    breach: {
      'lib/a.ts': "import type { Config } from '../settings/settings.js';",
      'settings/settings.ts': '',
    },
  },
  {
    name: 'personalisation imports nothing but lib: what it says follows from what it is given',
    check: imports(({ from, to }) => isIn(from, 'personalisation') && !isIn(to, 'personalisation', 'lib')),
    breach: { 'personalisation/a.ts': "import { query } from '../db/pool.js';", 'db/pool.ts': '' },
  },
  {
    name: 'only bin and cli import bin and cli: the service can be built, and tested, without starting a process',
    check: imports(({ from, to }) => isIn(to, 'bin', 'cli') && !isIn(from, 'bin', 'cli')),
    breach: { 'features/a/b.ts': "export { say } from '../../cli/terminal.js';", 'cli/terminal.ts': '' },
  },
  {
    name: 'db imports neither features nor http: it knows how to ask PostgreSQL, not what for',
    check: imports(({ from, to }) => isIn(from, 'db') && isIn(to, 'features', 'http', 'telemetry')),
    breach: {
      'db/pool.ts': "const a = await import('../telemetry/metrics.js');",
      'telemetry/metrics.ts': '',
    },
  },
  {
    name: 'no file imports itself in a circle: what is loaded first never depends on who asks (types do not count)',
    check: cycles,
    breach: {
      'a.ts': "import { b } from './b.js';",
      'b.ts': "import { c } from './c.js';",
      'c.ts': "import { a } from './a.js'; import type { B } from './b.js';",
    },
  },
  {
    name: 'only bin and cli end the process or listen to its signals: nothing else may decide that it is over',
    check: nodes(
      (node, { path }) => !isIn(path, 'bin', 'cli') && isMember(node, 'process', 'exit', 'on', 'once'),
    ),
    breach: { 'features/a.ts': '\nprocess.exit(1);' },
  },
  {
    name: 'process.env is only handed to readConfig, by bin and cli: every setting is in settings.ts, checked and listed',
    check: nodes(
      (node, { path }, ancestors) =>
        isMember(node, 'process', 'env') &&
        !(isIn(path, 'bin', 'cli') && ancestors.some(isCallOf('readConfig'))),
    ),
    breach: {
      'bin/worker.ts': "readConfig(process.env, { tty: process.env.TTY === 'on' }); go(process.env.A);",
    },
  },
  {
    name: 'process is never imported: the two rules above look for it by its name',
    check: nodes(
      (node) => node.type === 'ImportDeclaration' && /^(node:)?process$/.test(textOf(node.source)),
    ),
    breach: { 'http/a.ts': "import { env } from 'node:process';" },
  },
  {
    name: 'no console: logs go through pino, where secrets are blanked, and people are told things by `say`',
    check: nodes((node) => isMember(node, 'console')),
    breach: { 'http/a.ts': "console.log('a');" },
  },
  {
    name: 'no default exports: a thing has one name wherever it is used',
    check: nodes(
      (node) =>
        node.type === 'ExportDefaultDeclaration' ||
        (node.type === 'ExportSpecifier' && nameOf(node.exported) === 'default'),
    ),
    breach: { 'http/a.ts': 'const a = 1;\nexport { a as default };' },
  },
  {
    name: `no file over ${MAX_LINES} lines: it can be read in one sitting`,
    check: (sources) =>
      sources
        .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
        .filter(({ lines }) => lines > MAX_LINES)
        .map(({ path, lines }) => `${path}: ${lines} lines`),
    breach: { 'lib/a.ts': 'a();\n'.repeat(MAX_LINES + 1) },
  },
  {
    name: 'no any: the compiler checks everything (unknown says the same of a value, and is checked)',
    check: nodes((node) => node.type === 'TSAnyKeyword'),
    breach: { 'lib/a.ts': "const any = 'any'; // any\nconst a = JSON.parse(any) as any;" },
  },
  {
    name: 'no value is spliced into SQL: only UPPER_CASE constants and what PostgreSQL itself has quoted',
    check: nodes(isSplicedSql),
    breach: {
      'features/a.ts': [
        `query(\`select \${COLUMNS} from players where id = $1\`);`,
        'const name = client.escapeIdentifier(given);',
        `query(\`create database \${name}\`);`,
        `query(\`select \${COLUMNS} from players where id = \${id}\`);`,
      ].join('\n'),
    },
  },
];

const SOURCES = readSources();

describe.each(RULES)('$name', ({ check, breach }) => {
  it('holds', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
    expect(check(SOURCES)).toEqual([]);
  });

  it('is noticed when broken', () => {
    expect(check(Object.entries(breach).map(([path, text]) => parse(path, text)))).toHaveLength(1);
  });
});

it('every import of a project file leads to one', () => {
  const paths = new Set(SOURCES.map(({ path }) => path));
  const lost = SOURCES.flatMap((source) => source.imports).filter(({ to }) => !paths.has(to));
  expect(lost).toEqual([]);
});

// --- Reading the source -------------------------------------------------------------------------------------------

/** A rule about imports: finds those for which `isBad`. */
function imports(isBad: (edge: Import) => boolean): Rule['check'] {
  return (sources) =>
    sources
      .flatMap((source) => source.imports)
      .filter(isBad)
      .map(({ from, to, line }) => `${from}:${line} imports ${to}`);
}

/** A rule about code: finds the places for which `isBad`. */
function nodes(isBad: (node: Node, source: Source, ancestors: readonly Node[]) => boolean): Rule['check'] {
  return (sources) =>
    sources.flatMap((source) => {
      const found: string[] = [];
      visit(source.tree, (node, ancestors) => {
        if (isBad(node, source, ancestors)) found.push(`${source.path}:${lineOf(source, node)}`);
      });
      return found;
    });
}

function isIn(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** `object.name`, for one of the names, or for any if there are none. */
function isMember(node: Node, object: string, ...names: string[]): boolean {
  if (node.type !== 'MemberExpression' || nameOf(node.object) !== object) return false;
  return names.length === 0 || names.includes(nameOf(node.property) || textOf(node.property));
}

function isCallOf(name: string): (node: Node) => boolean {
  return (node) => node.type === 'CallExpression' && nameOf(node.callee) === name;
}

/** Each circle once, as the way round. */
function cycles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map(({ path, imports: all }) => [
      path,
      all.filter(({ typeOnly }) => !typeOnly).map(({ to }) => to),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, way: readonly string[]): void => {
    const met = way.indexOf(path);
    if (met >= 0) found.push([...way.slice(met), path].join(' → '));
    if (met >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) walk(path, []);
  return found;
}

// --- SQL ----------------------------------------------------------------------------------------------------------

const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

function isSplicedSql(node: Node, source: Source, ancestors: readonly Node[]): boolean {
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    return [node.left, node.right].some((side) => isSql(textOf(side)));
  }
  if (node.type !== 'TemplateLiteral') return false;
  const texts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  const parent = ancestors.at(-1);
  const isAsked = parent?.type === 'CallExpression' && nameOf((parent.callee as Node).property) === 'query';
  if (!isAsked && !isSql(texts.join('$'))) return false;
  const quoted = quotedNames(source);
  return (node.expressions as Node[]).some(
    (part) => !CONSTANT.test(nameOf(part)) && !quoted.has(nameOf(part)) && !isQuoting(part),
  );
}

/** Variables that hold what `escapeIdentifier` or `escapeLiteral` gave. */
function quotedNames({ tree }: Source): Set<string> {
  const names = new Set<string>();
  visit(tree, (node) => {
    if (node.type === 'VariableDeclarator' && isNode(node.init) && isQuoting(node.init))
      names.add(nameOf(node.id));
  });
  return names;
}

function isQuoting(node: Node): boolean {
  const callee = node.type === 'CallExpression' ? node.callee : undefined;
  return isNode(callee) && /^escape(?:Identifier|Literal)$/.test(nameOf(callee.property));
}
