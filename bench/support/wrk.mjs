import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownCpuMs } from './processes.mjs';

const SCRIPTS = fileURLToPath(new URL('../lua', import.meta.url));

export const lua = (name) => `${SCRIPTS}/${name}.lua`;

/**
 * One closed-loop run of wrk (Debian: `apt-get install wrk`): C code, so that the generator is not the bottleneck.
 * `generatorCores` says how much of the machine it took.
 * @param {{ url: string, seconds: number, connections?: number, script?: string, headers?: Record<string, string>, env?: Record<string, string> }} options
 */
export async function runWrk({ url, seconds, connections = 64, script, headers = {}, env = {} }) {
  const args = ['-t', '2', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s', '--latency'];
  if (script !== undefined) args.push('-s', script);
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
  const { code, text, cpuMs } = await collect('wrk', [...args, url], env);
  if (code !== 0) throw new Error(`wrk failed: ${text}`);
  const number = (pattern) => Number(pattern.exec(text)?.[1] ?? 0);
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text) ?? [];
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(text)),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(text)),
    failed:
      number(/Non-2xx or 3xx responses: (\d+)/) +
      socketErrors.slice(1).reduce((sum, count) => sum + Number(count), 0),
    generatorCores: cpuMs / (seconds * 1000),
    /** With the lines that the script prints at its end. */
    text,
    /** How many sessions each thread has used, where the script prints it. */
    used: [...text.matchAll(/^used \d+ (\d+)$/gm)].map(([, count]) => Number(count)),
  };
}

function milliseconds(match) {
  if (match === null) return Number.NaN;
  const unit = { us: 0.001, ms: 1, s: 1000 }[match[2]] ?? 1;
  return Number(match[1]) * unit;
}

function collect(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, BENCH_LUA: SCRIPTS, ...env } });
    let text = '';
    let cpuMs = 0;
    const watch = setInterval(() => {
      cpuMs = Math.max(cpuMs, ownCpuMs(child.pid));
    }, 100);
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', (error) => {
      clearInterval(watch);
      reject(
        error.code === 'ENOENT'
          ? new Error('wrk is not installed: apt-get install wrk, or brew install wrk')
          : error,
      );
    });
    child.once('close', (code) => {
      clearInterval(watch);
      resolve({ code, text, cpuMs });
    });
  });
}
