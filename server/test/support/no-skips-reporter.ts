import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** A test whose tool is missing may be skipped on a user's machine. In CI every tool is there, so a skip is a failure. */
export default class NoSkipsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .filter((test) => isWanted(test));
    for (const test of skipped)
      process.stdout.write(`SKIPPED ${test.module.relativeModuleId}: ${test.fullName}\n`);
    if (skipped.length > 0 && process.env.CI === 'true') {
      process.stdout.write(`${skipped.length} tests were skipped, which CI does not allow.\n`);
      process.exitCode = 1;
    }
  }
}

/** A test that belongs to the other command (tagged-files.ts) is not skipped: that command runs it. */
function isWanted({ tags, project }: TestCase): boolean {
  const filter = project.globalConfig.tagsFilter;
  return filter === undefined || tags.includes('full') === filter.includes('full');
}
