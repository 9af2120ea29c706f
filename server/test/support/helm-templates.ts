/**
 * The part of Helm's templates that our chart keeps to: members of `.Values`, `.Release` and `.Chart`, `toJson`, `quote`, `if`, `else`
 * and `range`. Anything else is an error, so that no template is checked by less than Helm makes of it.
 */
export function renderTemplate(template: string, root: unknown): string {
  const tokens = template.split(/(\s*\{\{-.*?\}\}|\{\{.*?\}\})/);
  const { text, rest } = renderUntilEnd(tokens, root, root);
  if (rest !== undefined) throw new Error('a template has an end too many');
  return text;
}

type Rendered = { text: string; rest: { tokens: string[]; keyword: 'end' | 'else' } | undefined };

function renderUntilEnd(tokens: readonly string[], dot: unknown, root: unknown): Rendered {
  let text = '';
  let left = [...tokens];
  for (;;) {
    const token = left.shift();
    if (token === undefined) return { text, rest: undefined };
    const action = /^\s*\{\{-?\s*(.*?)\s*\}\}$/.exec(token)?.[1];
    if (action === undefined) {
      text += token;
      continue;
    }
    if (action === 'end' || action === 'else') return { text, rest: { tokens: left, keyword: action } };
    const [, keyword, subject = ''] = /^(if|range) (.*)$/.exec(action) ?? [];
    if (keyword === undefined) {
      text += evaluate(action, dot, root);
      continue;
    }
    const value = lookUp(subject, dot, root);
    const items = keyword === 'range' ? (value as unknown[]) : [dot];
    const body = left;
    const first = renderUntilEnd(body, items[0] ?? {}, root);
    const other = first.rest?.keyword === 'else' ? renderUntilEnd(first.rest.tokens, dot, root) : undefined;
    const end = other ?? first;
    if (end.rest?.keyword !== 'end') throw new Error(`${action} has no end`);
    if (keyword === 'range') text += items.map((item) => renderUntilEnd(body, item, root).text).join('');
    else text += isTrue(value) ? first.text : (other?.text ?? '');
    left = end.rest.tokens;
  }
}

/** As Helm sees it: an empty list or map is false. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function evaluate(action: string, dot: unknown, root: unknown): string {
  const json = /^toJson (\S+)$/.exec(action)?.[1];
  if (json !== undefined) return JSON.stringify(lookUp(json, dot, root));
  const quoted = /^(\S+) \| quote$/.exec(action)?.[1];
  if (quoted !== undefined) return JSON.stringify(String(lookUp(quoted, dot, root)));
  const value = lookUp(action, dot, root);
  if (typeof value === 'object') throw new Error(`${action} is not a single value`);
  return String(value);
}

function lookUp(path: string, dot: unknown, root: unknown): unknown {
  if (path === '.') return dot;
  if (!/^(\.[A-Za-z]+)+$/.test(path)) throw new Error(`the test cannot render: ${path}`);
  let value: unknown = root;
  for (const name of path.slice(1).split('.')) {
    value = (value as Record<string, unknown>)[name];
    if (value === undefined) throw new Error(`there is no ${path}`);
  }
  return value;
}
