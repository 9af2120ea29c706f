import { defineConfig } from 'vitest/config';
import { WORKSPACE_SOURCES } from './scripts/workspaces.mjs';
import { SpreadSequencer } from './server/test/support/spread-sequencer.js';
import { selectTests } from './server/test/support/tagged-files.js';

export default defineConfig(({ mode }) => ({
  // A test needs no build.
  resolve: { alias: WORKSPACE_SOURCES },
  test: {
    ...selectTests(mode, process.argv.slice(2)),
    tags: [
      {
        name: 'full',
        description: 'Only in `npm run test:full` and CI: not needed in each run of a developer.',
      },
    ],
    globalSetup: ['server/test/support/global-setup.ts'],
    reporters: [
      'default',
      './server/test/support/no-skips-reporter.ts',
      './server/test/support/cpu-reporter.ts',
    ],
    // Real databases and processes on two cores, sometimes with other work beside them: no time decides a test.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 180_000 } },
    // Also for the end: a worker that is told to stop beside the last, busiest tests, and the deletion of the cluster.
    teardownTimeout: 120_000,
    // Tests wait for processes and databases a third of their time: four at once keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: SpreadSequencer },
    pool: 'forks',
    // What was compiled in an earlier run, also of the other half in CI, is read from node_modules.
    experimental: { fsModuleCache: true },
    // A file takes over the modules that earlier ones have imported: half of the CPU of a run was importing them again.
    isolate: false,
    setupFiles: [
      'server/test/support/cpu-of-file.ts',
      'server/test/support/leave-no-trace.ts',
      'server/test/support/same-cases.ts',
    ],
  },
}));
