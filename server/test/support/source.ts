import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

/** The source of the server and of its workspaces, read as trees by the tests that hold rules about them. */
export type Node = { type: string; start: number; [member: string]: unknown };
export type Import = { from: string; to: string; typeOnly: boolean; line: number };
/** `path` is relative to the folder that was read. */
export type Source = { path: string; text: string; tree: Node; imports: Import[] };

/** All files of server/src, or of another folder of the repository. */
export function readSources(folder = 'server/src'): Source[] {
  const src = fileURLToPath(new URL(`../../../${folder}`, import.meta.url));
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => parse(path, readFileSync(join(src, path), 'utf8')));
}

export function parse(path: string, text: string): Source {
  const tree = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const source: Source = { path, text, tree, imports: [] };
  visit(tree, (node) => {
    const specifier = textOf(node.source);
    if (!specifier.startsWith('.')) return;
    const to = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
    const typeOnly = node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType';
    source.imports.push({ from: path, to, typeOnly, line: lineOf(source, node) });
  });
  return source;
}

/** Calls `see` with each node and the nodes around it, the outermost first. The list of these changes after the call. */
export function visit(
  node: Node,
  see: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: Node[] = [],
): void {
  see(node, ancestors);
  ancestors.push(node);
  for (const name in node) {
    const member = node[name];
    if (Array.isArray(member)) {
      for (const child of member) if (isNode(child)) visit(child, see, ancestors);
    } else if (isNode(member)) visit(member, see, ancestors);
  }
  ancestors.pop();
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

export function lineOf({ text }: Source, { start }: Node): number {
  return text.slice(0, start).split('\n').length;
}

export function nameOf(node: unknown): string {
  return isNode(node) && typeof node.name === 'string' ? node.name : '';
}

/** The text of a string literal; empty for anything else. */
export function textOf(node: unknown): string {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : '';
}

const STATEMENT =
  /^\s*(?:select|where|order by|values|returning|on conflict|with \w+ as|lock table|truncate|(?:create|alter|drop) (?:or replace |unique |temp )?(?:database|function|index|role|schema|table|type|user|view))\s/;
const SOMEWHERE = /\b(?:select\b[\s\S]*\bfrom|insert into|delete from|update\b[\s\S]*\bset)\b/;

/** SQL is written in lower case here, or shouted; sentences begin with a single capital. */
export function isSql(text: string): boolean {
  const [first = ''] = text.trimStart().split(/\s/, 1);
  const lowered = first === first.toUpperCase() ? text.toLowerCase() : text;
  return STATEMENT.test(lowered) || SOMEWHERE.test(lowered);
}
