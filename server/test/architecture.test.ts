import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORKSPACES } from '../../scripts/workspaces.mjs';
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

/** From the ground up: a wing imports itself and what stands before it. See docs/adr/0081-ten-wings.md. */
const WINGS = [
  ...['platform', 'decide', 'core', 'studio', 'liveops'],
  ...['experiments', 'trust', 'insight', 'operations', 'app'],
];

const BASE = ['errors.ts', 'lib', 'settings'];
/** What each folder of `platform` may import of the others. Those that are not named here may import all of it. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  'package-files.ts': [],
  'errors.ts': ['lib'],
  // The master key is a setting, and is checked when settings are read.
  settings: ['lib', 'security'],
  security: ['lib', 'db'],
  telemetry: BASE,
  db: ['errors.ts', 'lib', 'package-files.ts', 'embedded-postgres'],
  'embedded-postgres': ['lib'],
  http: [...BASE, 'db', 'telemetry'],
  // Refuses requests in the form that http gives to all of them.
  overload: [...BASE, 'http', 'telemetry'],
};

const RULES: Rule[] = [
  {
    name: 'wings stand in an order, types included: each imports itself and those before it',
    check: imports(({ from, to }) => WINGS.indexOf(folderOf(to)) > WINGS.indexOf(folderOf(from))),
    breach: {
      'platform/http/a.ts': "import { login } from '../../core/sessions/login.js';",
      'core/sessions/login.ts': '',
    },
  },
  {
    name: 'every file lies in a wing',
    check: (sources) => sources.map(({ path }) => path).filter((path) => !WINGS.includes(folderOf(path))),
    breach: { 'features/a.ts': '' },
  },
  {
    name: 'the folders of platform have one-way doors: each imports only those that stand in its row of the table',
    check: imports(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      if (folderOf(from) !== 'platform' || folderOf(to) !== 'platform' || own === other) return false;
      return MAY_IMPORT[own]?.includes(other) === false;
    }),
    breach: {
      'platform/lib/a.ts': "import type { Settings } from '../settings/settings.js';",
      'platform/settings/settings.ts': '',
    },
  },
  {
    name: 'decide imports nothing of the service but lib: what it says follows from what it is given',
    check: imports(({ from, to }) => isIn(from, 'decide') && !isIn(to, 'decide', 'platform/lib')),
    breach: {
      'decide/decide/a.ts': "import { query } from '../../platform/db/pool.js';",
      'platform/db/pool.ts': '',
    },
  },
  {
    name: 'the steps of decide go one way: attributes and document, rules, compile, validate, decide and price-history',
    check: imports(({ from, to }) => isIn(from, 'decide') && isIn(to, 'decide') && stepOf(to) > stepOf(from)),
    breach: {
      'decide/rules/a.ts': "import { decide } from '../decide/decide.js';",
      'decide/decide/decide.ts': '',
    },
  },
  {
    name: 'commands are imported by commands, manifests and app alone: no service depends on what a terminal shows',
    check: imports(
      ({ from, to }) =>
        roomOf(to) === 'cli' && roomOf(from) !== 'cli' && !isIn(from, 'app') && !isManifest(from),
    ),
    breach: {
      'core/sessions/a.ts': "import { table } from '../../platform/cli/table.js';",
      'platform/cli/table.ts': '',
    },
  },
  {
    name: 'a manifest imports only types: every program loads all manifests, also for --version',
    check: nodes(
      (node, { path }) => isManifest(path) && node.type === 'ImportDeclaration' && node.importKind !== 'type',
    ),
    breach: { 'trust/stores/module.ts': "import { openStores } from './operations.js';" },
  },
  {
    name: 'no ring of folders within a wing, types included: each can be understood before those that use it',
    check: folderRings,
    breach: {
      'core/players/a.ts': "import { b } from '../sessions/b.js';",
      'core/sessions/b.ts': "import type { C } from '../events/c.js';",
      'core/events/c.ts': "import { d } from '../players/d.js';",
      'core/players/d.ts': '',
    },
  },
  {
    name: 'no file imports itself in a circle, types included: every file can be read after those it needs',
    check: cycles,
    breach: {
      'a.ts': "import { b } from './b.js';",
      'b.ts': "import { c } from './c.js';",
      'c.ts': "import type { A } from './a.js';",
    },
  },
  {
    name: 'only bin and cli end the process or listen to its signals: nothing else may decide that it is over',
    check: nodes((node, { path }) => !isProgram(path) && isMember(node, 'process', 'exit', 'on', 'once')),
    breach: { 'features/a.ts': '\nprocess.exit(1);' },
  },
  {
    name: 'process.env is only handed to readSettings, by bin and cli: every setting is in settings.ts, checked and listed',
    check: nodes(
      (node, { path }, ancestors) =>
        isMember(node, 'process', 'env') &&
        !(isProgram(path) && isFirstArgument(node, ancestors.at(-1), 'readSettings')),
    ),
    breach: { 'app/bin/worker.ts': "readSettings(process.env, { tty: process.env.TTY === 'on' });" },
  },
  {
    name: 'process is never imported: the two rules above look for it by its name',
    check: nodes(
      (node) => node.type === 'ImportDeclaration' && /^(node:)?process$/.test(textOf(node.source)),
    ),
    breach: { 'http/a.ts': "import { env } from 'node:process';" },
  },
  {
    name: 'only a Clock tells the time: a node whose own clock is wrong goes by the database (docs/adr/0027-one-clock.md)',
    check: nodes(
      (node, { path }) =>
        !isProgram(path) && !isIn(path, ...OWN_TIME) && !OWN_TIME.includes(path) && isOwnTime(node),
    ),
    breach: { 'features/a.ts': 'const then = new Date(0);\nconst today = new Date();' },
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
    name: 'a route names no type of its requests: the types are those of its schemas, which are checked (withSchemaTypes)',
    check: nodes(isTypedRoute),
    breach: {
      'features/a.ts': "app.get('/a', show);\napp.post<{ Body: { name: string } }>('/a', options, add);",
    },
  },
  {
    name: 'routes of the admin API get their guard from the frame that declares them (docs/adr/0073-one-frame-for-admin-routes.md)',
    check: nodes(
      (node, { path }) =>
        node.type === 'ImportSpecifier' &&
        ['requireRole', 'requireAccount'].includes(nameOf(node.imported)) &&
        path !== 'studio/admin-api/admin-routes.ts' &&
        path !== ASKS_AGAIN,
    ),
    breach: {
      'features/a.ts': "import { adminOf, requireRole } from '../admin/admin-guard.js';",
      'studio/admin-api/admin-guard.ts': '',
    },
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
  {
    name: 'a file that a comment names is there: comments move along with the code that they point to',
    check: lostMentions,
    breach: { 'lib/a.ts': "// See lib/money.ts.\nconst a = 'lib/b.ts'; // See lib/b.ts." },
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

it.each(WORKSPACES)('the workspace %s imports nothing of the service', (name) => {
  const outside = (sources: readonly Source[]) =>
    sources.flatMap(({ path, text, imports: own }) => [
      ...own.filter(({ to }) => to.startsWith('../')).map(({ to }) => `${path} imports ${to}`),
      ...(/from '@savepoint\/server/.test(text) ? [`${path} imports the server`] : []),
    ]);
  expect(outside(readSources(`${name}/src`))).toEqual([]);
  expect(cycles(readSources(`${name}/src`))).toEqual([]);
  expect(
    outside([parse('a.ts', "import { pool } from '../../server/src/platform/db/pool.js';")]),
  ).toHaveLength(1);
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

/** What a module brings: `module.ts` of its folder, or of a wing that is one module. */
function isManifest(path: string): boolean {
  return /\/(?:core-)?module\.ts$/.test(path);
}

/** A program, or a command of the terminal. */
function isProgram(path: string): boolean {
  return isIn(path, 'app/bin') || roomOf(path) === 'cli';
}

/** `object.name`, for one of the names, or for any if there are none. */
function isMember(node: Node, object: string, ...names: string[]): boolean {
  if (node.type !== 'MemberExpression' || nameOf(node.object) !== object) return false;
  return names.length === 0 || names.includes(nameOf(node.property) || textOf(node.property));
}

/** Where the clock of the machine may be asked: what people are shown, the age of files, the lag of NATS, the `Date` that Node writes. */
const OWN_TIME = [
  ...['app/bin', 'platform/embedded-postgres', 'platform/lib/clock.ts', 'platform/db/database-clock.ts'],
  ...['operations/queue/queue.ts', 'platform/http/response-date.ts'],
];

/** `Date.now`, `new Date()` or `systemClock` */
function isOwnTime(node: Node): boolean {
  if (node.type === 'NewExpression')
    return nameOf(node.callee) === 'Date' && (node.arguments as Node[]).length === 0;
  return isMember(node, 'Date', 'now') || (node.type === 'Identifier' && node.name === 'systemClock');
}

/** Asks, while it streams, whether the sender may still listen. */
const ASKS_AGAIN = 'insight/live/live-routes.ts';

/** `app.post<…>(…)` */
function isTypedRoute({ type, callee, typeArguments }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(typeArguments) || !isNode(callee)) return false;
  const isApp = ['app', 'routes', 'ofStudio', 'ofGame', 'scope'].includes(nameOf(callee.object));
  return isApp && ['get', 'post', 'put', 'patch', 'delete'].includes(nameOf(callee.property));
}

function isFirstArgument(node: Node, call: Node | undefined, name: string): boolean {
  if (call?.type !== 'CallExpression' || nameOf(call.callee) !== name) return false;
  return (call.arguments as Node[])[0] === node;
}

/** The folder of a file, or the file itself where it lies in none. */
function folderOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

/** The same within a wing. */
function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** A later step may use an earlier one. Models stand apart: they are steps of nothing. */
const STEPS = ['attributes', 'document', 'rules', 'compile', 'validate', 'decide', 'price-history'];

function stepOf(path: string): number {
  return STEPS.indexOf(path.split('/')[1] ?? '');
}

/** Rings of folders: one imports another that imports it again, directly or through others. */
function folderRings(sources: readonly Source[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of sources.flatMap((source) => source.imports)) {
    const [a, b] = [from, to].map((path) => path.split('/').slice(0, 2).join('/'));
    if (a === undefined || b === undefined || a === b || !isModule(from) || !isModule(to)) continue;
    edges.set(a, (edges.get(a) ?? new Set()).add(b));
  }
  return rings(edges);
}

/** In a folder of a wing, and not in its commands, which use all of them. */
function isModule(path: string): boolean {
  return path.split('/').length > 2 && roomOf(path) !== 'cli';
}

/** Each circle of files once. */
function cycles(sources: readonly Source[]): string[] {
  return rings(new Map(sources.map(({ path, imports: all }) => [path, all.map(({ to }) => to)])));
}

/** Each ring once, as the way round. */
function rings(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (node: string, way: readonly string[]): void => {
    const met = way.indexOf(node);
    if (met >= 0) found.push([...way.slice(met), node].join(' → '));
    if (met >= 0 || done.has(node)) return;
    for (const next of edges.get(node) ?? []) walk(next, [...way, node]);
    done.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return found;
}

/** Files of the project that comments may name, each with a slash before its path. */
const NAMED_FILES = ['server/src', 'server/test', 'server/migrations', 'sdk/src', 'docs'].flatMap((folder) =>
  readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' }).map(
    (path) => `/${folder}/${path.replaceAll('\\', '/')}`,
  ),
);

/** What comments name and no file is called, by its name or the end of its path. */
function lostMentions(sources: readonly Source[]): string[] {
  const named = sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const comment = /(?:^\s*\/?\*|(?:^|\s)\/\/ )(.*)/.exec(line)?.[1] ?? '';
      const names = comment.match(/[\w./-]*\w\.(?:ts|sql|md)\b/g) ?? [];
      return names.map((name) => ({ name: name.replace(/^(?:\.{0,2}\/)+/, ''), at: `${path}:${index + 1}` }));
    }),
  );
  return named
    .filter(({ name }) => !NAMED_FILES.some((path) => path.endsWith(`/${name}`)))
    .map(({ name, at }) => `${at} names ${name}`);
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
