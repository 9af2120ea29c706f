import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The rules that keep the console small and a client like any other. Each is tried on the source, and on a breach of it. */

type Source = { path: string; text: string; imports: string[] };
type Rule = { name: string; check: (sources: readonly Source[]) => string[]; breach: Record<string, string> };

const MAX_LINES = 300;
/** Built on from left to right: what stands further left knows nothing of what stands further right. */
const LAYERS = ['lib', 'api', 'parts', 'draft', 'rules', 'pages', 'frame'];
/** Types of the API are known everywhere, and documents are made of them. */
const TYPES_OF_API = 'api/client.ts';

const RULES: Rule[] = [
  {
    name: 'layers go one way: helpers, API, parts, draft, rules, pages, frame',
    check: edges(({ from, to, isTypeOnly }) => {
      const [one, other] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))];
      return one >= 0 && other > one && !(isTypeOnly && to === TYPES_OF_API);
    }),
    breach: { 'lib/a.ts': "import { Page } from '../parts/Page.js';", 'parts/Page.tsx': '' },
  },
  {
    name: 'no page imports another page: each is loaded by itself',
    check: edges(({ from, to }) => {
      const [one, other] = [pageOf(from), pageOf(to)];
      return one !== undefined && other !== undefined && one !== other;
    }),
    breach: { 'pages/store/a.tsx': "import { b } from '../player/b.js';", 'pages/player/b.tsx': '' },
  },
  {
    name: 'no file imports itself in a circle, types included',
    check: (sources) => {
      const imported = new Map(
        sources.map((source) => [moduleOf(source.path), edgesOf(source).map(({ to }) => moduleOf(to))]),
      );
      const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
        (imported.get(from) ?? []).some(
          (to) => to === goal || (!seen.has(to) && reaches(to, goal, seen.add(to))),
        );
      return [...imported.keys()].filter((module) => reaches(module, module, new Set())).slice(0, 1);
    },
    breach: {
      'parts/a.tsx': "import { b } from './b.js';",
      'parts/b.tsx': "import { c } from './c.js';",
      'parts/c.ts': "import type { A } from './a.js';",
    },
  },
  {
    name: 'nothing of the server is imported: the console knows it by its API document only',
    check: (sources) =>
      sources
        .filter(({ text }) => /from '[^']*\/(?:server|sdk|simulator)\//.test(text))
        .map(({ path }) => path),
    breach: { 'lib/a.ts': "import { x } from '../../../server/src/platform/lib/x.js';" },
  },
  {
    name: 'fetch is called in api only: everything else goes through the typed client',
    check: (sources) =>
      sources
        .filter(({ path, text }) => !path.startsWith('api/') && /\bfetch\(/.test(text))
        .map(({ path }) => path),
    breach: { 'pages/store/a.tsx': "const a = await fetch('/admin/v1/me');" },
  },
  {
    name: 'no markup from text: what players and studios write is never taken for HTML',
    check: (sources) =>
      sources.filter(({ text }) => /dangerouslySetInnerHTML|innerHTML/.test(text)).map(({ path }) => path),
    breach: { 'parts/a.tsx': 'const a = <p dangerouslySetInnerHTML={{ __html: x }} />;' },
  },
  {
    name: `no file over ${MAX_LINES} lines`,
    check: (sources) =>
      sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path),
    breach: { 'lib/a.ts': 'a();\n'.repeat(MAX_LINES + 1) },
  },
];

const SOURCES = readSources();

describe.each(RULES)('$name', ({ check, breach }) => {
  it('holds', () => {
    expect(SOURCES.length).toBeGreaterThan(40);
    expect(check(SOURCES)).toEqual([]);
  });

  it('is noticed when broken', () => {
    expect(check(Object.entries(breach).map(([path, text]) => parse(path, text)))).toHaveLength(1);
  });
});

function readSources(): Source[] {
  const src = fileURLToPath(new URL('../src', import.meta.url));
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.gen.ts'))
    .map((path) => parse(path, readFileSync(join(src, path), 'utf8')));
}

function parse(path: string, text: string): Source {
  const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)';/gm)].map(([whole]) => whole);
  return { path, text, imports };
}

type Edge = { from: string; to: string; isTypeOnly: boolean };

function edges(isBad: (edge: Edge) => boolean): Rule['check'] {
  return (sources) =>
    sources
      .flatMap(edgesOf)
      .filter(isBad)
      .map(({ from, to }) => `${from} imports ${to}`);
}

function edgesOf({ path, imports }: Source): Edge[] {
  return imports.map((whole) => ({
    from: path,
    to: posix.join(posix.dirname(path), /'([^']+)'/.exec(whole)?.[1] ?? '').replace(/\.js$/, '.ts'),
    isTypeOnly: /^(?:import|export) type/.test(whole),
  }));
}

/** Imports name a component's file like any other. */
function moduleOf(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

function layerOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function pageOf(path: string): string | undefined {
  return /^pages\/([^/]+)\//.exec(path)?.[1];
}
