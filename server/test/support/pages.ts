import { expect } from 'vitest';
import type { AdminClient } from './admin-calls.js';
import { expectGeneralError } from './data-calls.js';

/** The rows of a paged list of the admin API, read page by page as a viewer until its end. */
export async function readPages<Row>(
  admin: AdminClient,
  path: string,
  member: string,
  limit: number,
): Promise<{ rows: Row[]; pages: number }> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const page: Record<string, unknown> = await admin.ask(
      'GET',
      withQuery(path, `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`),
      undefined,
      admin.tokens.viewer,
    );
    const found = page[member] as Row[];
    expect(found.length).toBeLessThanOrEqual(limit);
    rows.push(...found);
    cursor = page.nextCursor as string | null;
    pages++;
  }
  return { rows, pages };
}

/** A cursor may be forged: one that is not of the list, or whose values no row can have, is refused and not sent to PostgreSQL. */
export async function expectForgedCursorsRefused(
  admin: AdminClient,
  path: string,
  forged: readonly (readonly unknown[])[],
): Promise<void> {
  const texts = forged.map((key) => Buffer.from(JSON.stringify(key)).toString('base64url'));
  for (const text of ['x', ...texts]) {
    const response = await admin.call('GET', withQuery(path, `cursor=${text}`));
    expectGeneralError(response, 400, 'parameter_invalid');
  }
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
