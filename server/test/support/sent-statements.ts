import pg from 'pg';

/** A statement as it went to PostgreSQL. */
export type Sent = Readonly<{
  /** Undefined where it was not prepared under a name. */
  name: string | undefined;
  text: string;
  values: readonly unknown[];
  /** How the connection plans by then, such as ` -c enable_seqscan=off`. */
  options: string;
}>;

/** Without a text: a `copy`, which is an object of its own. */
type Submitted = { name?: string; text?: string; values?: unknown[] };

const PLANNING =
  /(?:^|; )set (enable_\w+|plan_cache_mode|jit|max_parallel_workers_per_gather) (?:=|to) '?(\w+)'?/g;

/** Of every connection, also of those that were opened before a recording. */
const planning = new WeakMap<pg.Client, string>();
let recording: Sent[] | undefined;

const { prototype } = pg.Client;
const query = prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first, second] = args as [string | Submitted, unknown];
  const { name, text = '', values = [] }: Submitted = typeof first === 'string' ? { text: first } : first;
  const options = planning.get(this) ?? '';
  const added = [...text.matchAll(PLANNING)].map(([, setting, value]) => ` -c ${setting}=${value}`);
  planning.set(this, options + added.join(''));
  recording?.push({ name, text, values: Array.isArray(second) ? second : values, options });
  return query.apply(this, args);
} as typeof prototype.query;

/** What all connections of this process send while `work` runs. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  recording = sent;
  try {
    await work();
  } finally {
    recording = undefined;
  }
  return sent;
}
