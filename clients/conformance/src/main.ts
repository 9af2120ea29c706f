import type { Exchange } from './exchange.js';
import { EXCHANGES } from './exchanges/index.js';
import { HELP, type RunnerOptions, readOptions } from './options.js';
import { type Outcome, play } from './play.js';
import { createProcessHosts, type OnLine } from './process-host.js';

const say = (text: string) => void process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    const exchanges = choose(options.only);
    if (options.isHelp) say(HELP);
    else if (options.isList) for (const { name, rule } of exchanges) say(`${name}\n    ${rule}`);
    else return await playAll(exchanges, options);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
}

function choose(only: readonly string[]): readonly Exchange[] {
  const unknown = only.find((wanted) => !EXCHANGES.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw new Error(`There is no exchange "${unknown}". --list shows their names.`);
  return only.length === 0 ? EXCHANGES : EXCHANGES.filter(({ name }) => only.includes(name));
}

async function playAll(exchanges: readonly Exchange[], options: RunnerOptions): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...exchanges];
  const hosts = createProcessHosts(options.command);
  const onLine = ({ name }: Exchange): OnLine | undefined =>
    options.isVerbose
      ? (direction, line) => say(`        ${name} ${direction === 'to' ? '→' : '←'} ${line.slice(0, 400)}`)
      : undefined;
  const work = async () => {
    for (let exchange = waiting.shift(); exchange !== undefined; exchange = waiting.shift()) {
      const startedAt = performance.now();
      const outcome = await play(exchange, hosts.newHost(onLine(exchange)), options.patienceSeconds * 1_000);
      counts[outcome.result]++;
      report(exchange, outcome, performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  await hosts.close();
  say(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped.`);
  return counts.failed > 0 ? 1 : 0;
}

function report({ name, rule, why }: Exchange, outcome: Outcome, ms: number): void {
  if (outcome.result === 'passed') say(`passed   ${name} (${(ms / 1_000).toFixed(1)} s)`);
  else if (outcome.result === 'skipped') say(`skipped  ${name}: ${outcome.reason}`);
  else {
    say(`FAILED   ${name}: ${outcome.reason}`);
    say(`         Rule: ${rule}`);
    say(`         Why:  ${why}`);
    for (const request of outcome.requests) say(`         arrived: ${request}`);
  }
}
