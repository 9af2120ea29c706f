import pg from 'pg';

/** A statement as it went to PostgreSQL. */
export type Sent = Readonly<{
  /** Undefined where it was not prepared under a name. */
  name: string | undefined;
  text: string;
  values: readonly unknown[];
  /** How the connection was set up by then, such as `-c enable_seqscan=off`. */
  options: string;
}>;

type Submitted = { name?: string; text: string; values?: unknown[] };
type Connected = { connectionParameters: { options?: string } };

/** What all connections of this process send while `work` runs. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const settings = new WeakMap<pg.Client, string>();
  const { prototype } = pg.Client;
  const query = prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, second] = args as [string | Submitted, unknown];
    const { name, text, values = [] }: Submitted = typeof first === 'string' ? { text: first } : first;
    const options = `${(this as unknown as Connected).connectionParameters.options ?? ''}${settings.get(this) ?? ''}`;
    const [, setting, value] = /^set (\w+) = (\w+)$/.exec(text) ?? [];
    if (setting !== undefined) settings.set(this, `${settings.get(this) ?? ''} -c ${setting}=${value}`);
    sent.push({
      name,
      text,
      values: Array.isArray(second) ? second : values,
      options,
    });
    return query.apply(this, args);
  } as typeof prototype.query;
  try {
    await work();
  } finally {
    prototype.query = query as typeof prototype.query;
  }
  return sent;
}
