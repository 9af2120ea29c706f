import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Call,
  type Client,
  createPool,
  type Pool,
  pipelinedTransaction,
} from '../../../src/platform/db/pool.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('a pipelined transaction', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    // One connection: if it is not given back in order, the next one waits for ever.
    pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
    await pool.query('create table notes (text text primary key)');
  });
  beforeEach(() => pool.query('truncate notes'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const note = (text: string): Call => ({
    statement: { name: 'note', text: 'insert into notes values ($1)' },
    values: [text],
  });
  const write = async (client: Client, text: string) => {
    await client.query('insert into notes values ($1)', [text]);
    return text;
  };
  const notes = async () =>
    (await pool.query<{ text: string }>('select text from notes order by 1')).rows.map(({ text }) => text);

  it('commits what both steps sent', async () => {
    const result = await pipelinedTransaction(
      pool,
      (client) => write(client, 'first'),
      (text) => [note(`after ${text}`), note('last')],
    );
    expect(result).toBe('first');
    expect(await notes()).toEqual(['after first', 'first', 'last']);
  });

  it.each<[string, (client: Client) => Promise<string>, (text: string) => Call[], RegExp]>([
    ['a statement of the first step', (client) => write(client, null as never), () => [], /null value/],
    [
      'a statement of the second step',
      (client) => write(client, 'twice'),
      (text) => [note('once'), note(text)],
      /notes_pkey/,
    ],
    [
      'making the second step',
      (client) => write(client, 'first'),
      () => {
        throw new Error('no idea');
      },
      /no idea/,
    ],
  ])('leaves nothing when %s fails, and gives the connection back', async (_, start, finish, error) => {
    await expect(pipelinedTransaction(pool, start, finish)).rejects.toThrow(error);
    expect(await notes()).toEqual([]);
  });
});
