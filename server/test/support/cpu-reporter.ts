import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** What a file without the tag may take, so that all of them take five minutes. */
const LIMIT_CPU_SECONDS = 4;
/** The same file takes up to a third more in one run than in another. CI names what is above the limit, and refuses what is above it by half. */
const TOLERANCE = 1.5;
/** CPU of `measureFloor` on the two quiet cores that the limit was chosen on. */
const QUIET_FLOOR_MS = 110;
const FOLDER = 'coverage';
/** What proves that the product works as a whole may take more. Add nothing: show one behaviour more in one of these. */
const WHOLE_PRODUCT = [
  'e2e/service.test.ts',
  'e2e/console.test.ts',
  'clients/conformance/test/typescript-node.test.ts',
];

/** Says what CPU each file took, most first, and in CI refuses a file that takes too much of everybody's five minutes. */
export default class CpuReporter implements Reporter {
  private filter: string | undefined;
  private slowness = 1;

  onInit(vitest: Vitest): void {
    this.filter = vitest.config.tagsFilter?.[0];
    this.slowness = measureSlowness();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ path: module.relativeModuleId, seconds: (module.meta().cpuMs ?? 0) / 1_000 }))
      .sort((a, b) => b.seconds - a.seconds);
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = files.map(({ path, seconds }) => `${seconds.toFixed(2).padStart(8)}  ${path}`);
    mkdirSync(FOLDER, { recursive: true });
    const report = `${FOLDER}/cpu-seconds${this.filter === 'full' ? '-full' : ''}.txt`;
    writeFileSync(report, `${lines.join('\n')}\n`);
    process.stdout.write(`CPU of tests and what they started: ${total.toFixed(0)} s, by file in ${report}\n`);
    if (this.filter === '!full' && process.env.CI === 'true') this.refuse(files);
  }

  private refuse(files: { path: string; seconds: number }[]): void {
    // A machine that is busy takes more CPU for the same work: processes share caches and cores.
    const limit = LIMIT_CPU_SECONDS * Math.max(this.slowness, measureSlowness());
    const tooDear = files.filter(({ path, seconds }) => seconds > limit && !WHOLE_PRODUCT.includes(path));
    for (const { path, seconds } of tooDear) {
      process.stdout.write(
        `${path} took ${seconds.toFixed(1)} CPU seconds, more than ${limit.toFixed(1)} (${LIMIT_CPU_SECONDS} on a quiet machine). ` +
          'Show the behaviour in a cheaper way (CONTRIBUTING.md, "Habits"), or tag what is not needed in each run: ' +
          "`/** @module-tag full */` as the first line of the file, or `{ tags: ['full'] }` for one test.\n",
      );
      if (seconds > limit * TOLERANCE) process.exitCode = 1;
    }
  }
}

/** How much more CPU the same work takes than on quiet cores; never less than 1. */
function measureSlowness(): number {
  return Math.max(1, measureFloor() / QUIET_FLOOR_MS);
}

function measureFloor(): number {
  const before = process.cpuUsage();
  let text = 'floor';
  for (let round = 0; round < 50_000; round += 1) text = createHash('sha256').update(text).digest('hex');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
