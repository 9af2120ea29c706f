// Answers queries with ClickHouse as a library. Run by a Node.js that WebAssembly with 64-bit addresses works in.
// Each line of standard input is { sql } or { name, path }, a file that ClickHouse can read from then on; each gets a line.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , folder] = process.argv;
const dist = pathToFileURL(`${folder}/node_modules/chdb-wasm/dist/`);
const { AsyncChdb } = await import(new URL('index.js', dist).href);
const database = await AsyncChdb.create({ moduleUrl: new URL('chdb.mjs', dist).href });
const connection = await database.connect();

async function answer({ sql, name, path }) {
  if (sql !== undefined) return { text: (await connection.query(sql, 'TSV')).text() };
  await database.putFile(name, new Uint8Array(await readFile(path)));
  return { text: '' };
}

for await (const line of createInterface({ input: process.stdin })) {
  const response = await answer(JSON.parse(line)).catch((error) => ({ problem: error.message }));
  process.stdout.write(`${JSON.stringify(response)}\n`);
}
await database.terminate();
process.exit();
