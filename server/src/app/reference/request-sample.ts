import { firstExample, type Operation } from './api-document.js';

/** Headers that every request of an API sends beside its own, with variables that the reader sets once. */
export type Caller = Readonly<{ headers: readonly string[] }>;

export const PLAYER: Caller = { headers: ['Authorization: Bearer $ACCESS_TOKEN'] };
export const ADMIN: Caller = { headers: ['Authorization: Bearer $ADMIN_TOKEN'] };

/** A request to paste into a shell. Variables in capitals stand for what only the reader knows. */
export function requestSample(
  url: string,
  method: string,
  path: string,
  operation: Operation,
  { headers }: Caller,
): string {
  const written = operation['x-codeSamples']?.[0]?.source;
  if (written !== undefined) return written;
  const needed = (operation.parameters ?? []).filter(({ required }) => required === true);
  const query = needed
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => `${name}=${variable(name)}`);
  const own = needed
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => `${name}: ${variable(name)}`);
  const target = url + path.replace(/\{(\w+)\}/g, (_, name: string) => variable(name));
  const credentials = operation.security?.length === 0 ? [] : headers;
  const body = bodyLines(operation);
  const lines = [
    `curl -s${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${[target, query.join('&')].filter(Boolean).join('?')}"`,
    ...[...credentials, ...own].map((header) => `-H "${header}"`),
    ...body,
  ];
  return lines.join(' \\\n  ');
}

function bodyLines(operation: Operation): string[] {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return [];
  const example = firstExample(media);
  const text = typeof example === 'string' ? example : JSON.stringify(example ?? {});
  return [`-H 'Content-Type: ${type}'`, `-d '${text.replaceAll("'", "'\\''")}'`];
}

/** `X-Player-Id` and `playerId` are both `$PLAYER_ID`. */
function variable(name: string): string {
  const words = name.replace(/^X-/, '').replace(/([a-z])([A-Z])/g, '$1_$2');
  return `$${words.replaceAll('-', '_').toUpperCase()}`;
}
