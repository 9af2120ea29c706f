import type { Client, Pool } from './pool.js';

/** Called when a statement is sent, with its name or text; returns what is to be called when it is over. */
export type StatementWatch = (statement: string) => (error?: Error) => void;

type Query = (...args: unknown[]) => unknown;

/**
 * Tells of every statement of a pool when it is sent and when it is over. Values are never told. A statement of the pool includes its
 * wait for a connection; those of a transaction are told one by one.
 */
export function watchStatements(pool: Pool, watch: StatementWatch): void {
  tellOf(pool, watch);
  pool.on('connect', (client) => tellOf(client, watch));
}

/** The pool itself calls its clients with a callback, so that its own statements are not told twice. */
function tellOf(target: Pool | Client, watch: StatementWatch): void {
  const query = target.query.bind(target) as Query;
  const watched: Query = (...args) => {
    if (typeof args.at(-1) === 'function') return query(...args);
    const end = watch(nameOf(args[0]));
    const result = query(...args);
    // A cursor is no promise; it is over when its reader says so.
    if (!(result instanceof Promise)) return result;
    result.then(
      () => end(),
      (error: Error) => end(error),
    );
    return result;
  };
  target.query = watched as typeof target.query;
}

function nameOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { name, text } = statement as { name?: string; text?: string };
  return name ?? text ?? 'unknown';
}
