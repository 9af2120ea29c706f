import {
  isNode,
  isSql,
  lineOf,
  type Node,
  nameOf,
  type Source,
  textOf,
  visit,
} from '../../../support/source.js';

/** The one place where statements of any name are sent from. */
const SENDER = 'platform/db/pool.ts';

/** Prepared statements in the source, as `path:line name`, whose name is not among those that were sent. */
export function unlistedNames(sources: readonly Source[], sent: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (const source of sources) {
    visit(source.tree, (node) => {
      const name = memberOf(node, 'name');
      if (name === undefined || memberOf(node, 'text') === undefined || source.path === SENDER) return;
      // A name that is not written out cannot be told from one that is missing.
      if (!sent.has(textOf(name))) found.push(`${source.path}:${lineOf(source, node)} ${textOf(name)}`);
    });
  }
  return found;
}

/** SQL in the source, as `path:line`, that names one of the tables and is no part of what was sent. */
export function unlistedTexts(
  sources: readonly Source[],
  sent: readonly string[],
  tables: readonly string[],
): string[] {
  const names = new RegExp(`\\b(?:${tables.join('|')})\\b`);
  const found: string[] = [];
  for (const source of sources) {
    visit(source.tree, (node) => {
      const pieces = piecesOf(node);
      const text = pieces.join(' ');
      if (!isSql(text) || !names.test(text)) return;
      if (!sent.some((whole) => isPartOf(pieces, whole)))
        found.push(`${source.path}:${lineOf(source, node)}`);
    });
  }
  return found;
}

/** A text without what is put into it: `${…}`, words in capitals, and parameters where PostgreSQL takes none. */
function piecesOf(node: Node): string[] {
  const texts =
    node.type === 'TemplateLiteral'
      ? (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
      : [textOf(node)];
  return texts.flatMap((text) => text.split(/\$\d+|\b[A-Z]+\b/));
}

function isPartOf(pieces: readonly string[], whole: string): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = whole.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

/** The value of a member of an object as it is written out. */
function memberOf(node: Node, name: string): Node | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const members = (node.properties as Node[]).filter(({ key }) => nameOf(key) === name);
  const value = members[0]?.value;
  return isNode(value) ? value : undefined;
}
