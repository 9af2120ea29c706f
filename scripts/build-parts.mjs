// Builds parts of the repository at the same time, each only if its sources differ from those it was built from.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root, sourcesHash } from './sources-hash.mjs';

/**
 * A part: `name` for people; `sources`, paths from the root; `outputs`, of which none may be missing; `stamp`, a file in the folder
 * of the outputs with the hash of their sources, so that whoever deletes the folder deletes the stamp; `build`.
 *
 * Returns the parts that could not be built, with the errors.
 */
export async function buildParts(parts, { say, terminal = process.stdout }) {
  const due = parts.map(findHash).filter(({ isBuilt }) => !isBuilt);
  if (due.length === 0) return new Map();
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
  const waiting = new Set(due.map(({ part }) => part.name));
  const failed = new Map();
  const progress = showProgress(terminal, `Building ${listOf(waiting)}…`, say, () => {
    const done = due.length - waiting.size;
    return `Building ${listOf(waiting)}… ${done} of ${due.length} done, ${Math.floor(seconds())} s`;
  });
  await Promise.all(
    due.map(async ({ part, hash }) => {
      try {
        await part.build();
        writeFileSync(join(root, part.stamp), hash);
      } catch (error) {
        failed.set(part.name, error);
      }
      waiting.delete(part.name);
    }),
  );
  progress.end();
  const built = due.map(({ part }) => part.name).filter((name) => !failed.has(name));
  if (built.length > 0) say(`Built ${listOf(built)} in ${seconds()} s.`);
  for (const [name, error] of failed) {
    const message = terminal.isTTY ? error.message : stripVTControlCharacters(error.message);
    say(`${message.trim()}\nThis failed: building ${name}.`);
  }
  return failed;
}

function findHash(part) {
  const hash = sourcesHash(part.sources());
  const stamp = join(root, part.stamp);
  const isThere = [part.stamp, ...(part.outputs ?? [])].every((file) => existsSync(join(root, file)));
  return { part, hash, isBuilt: isThere && readFileSync(stamp, 'utf8') === hash };
}

/** In a terminal a line that changes; elsewhere one line at the beginning. */
function showProgress(terminal, first, say, text) {
  if (!terminal.isTTY) {
    say(first);
    return { end() {} };
  }
  const show = () => terminal.write(`\r\u001b[K${text()}`);
  show();
  const timer = setInterval(show, 200);
  return {
    end() {
      clearInterval(timer);
      terminal.write('\r\u001b[K');
    },
  };
}

function listOf(names) {
  const all = [...names];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Runs a program of Node. Rejects with what it printed if it fails. */
export function runNode(args, cwd = root) {
  return run(process.execPath, args, { cwd });
}

export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let all = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      all += chunk;
    });
    child.stderr.on('data', (chunk) => {
      all += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(all))));
  });
}
