import type pg from 'pg';

type Column = { name: string; type: string; isRequired: boolean; hasDefault: boolean };

/** What statements of a release rely on: columns with their types, keys for `on conflict`, functions. */
export type SchemaContract = Readonly<{ columns: Column[]; keys: string[]; routines: string[] }>;

export async function readContract(client: pg.Client): Promise<SchemaContract> {
  const { rows: columns } = await client.query<Column>(
    `select format('%s.%s', c.relname, a.attname) as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "isRequired",
       a.atthasdef or a.attidentity <> '' as "hasDefault"
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped
     order by 1`,
  );
  const { rows: keys } = await client.query<{ key: string }>(
    `select format('%s (%s)', c.relname, (
       select string_agg(a.attname, ', ' order by a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum = any (i.indkey)
     )) as key
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and i.indisunique and i.indpred is null
     order by 1`,
  );
  const { rows: routines } = await client.query<{ routine: string }>(
    `select format('%s returns %s', oid::regprocedure, pg_get_function_result(oid)) as routine from pg_proc
     where pronamespace = 'public'::regnamespace
     order by 1`,
  );
  return { columns, keys: keys.map(({ key }) => key), routines: routines.map(({ routine }) => routine) };
}

/** What the nodes of the former release would miss, or would have to give a value for. None if it was only expanded. */
export function findBreaks(before: SchemaContract, after: SchemaContract): string[] {
  const columns = new Map(after.columns.map((column) => [column.name, column]));
  const former = new Map(before.columns.map((column) => [column.name, column]));
  const tables = new Set(before.columns.map(({ name }) => tableOf(name)));
  return [
    ...before.columns.flatMap(({ name, type }) => {
      const now = columns.get(name);
      if (now === undefined) return [`${name} is gone`];
      return now.type === type ? [] : [`${name} was ${type} and is ${now.type}`];
    }),
    ...after.columns
      .filter(({ name, isRequired, hasDefault }) => {
        const isStricter = former.get(name)?.isRequired !== true;
        return tables.has(tableOf(name)) && isRequired && !hasDefault && isStricter;
      })
      .map(({ name }) => `${name} must be given`),
    ...before.keys.filter((key) => !after.keys.includes(key)).map((key) => `the key of ${key} is gone`),
    ...before.routines.filter((routine) => !after.routines.includes(routine)).map((r) => `${r} is gone`),
  ];
}

function tableOf(column: string): string {
  return column.slice(0, column.indexOf('.'));
}
