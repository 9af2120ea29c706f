import { defineConfig } from 'vitest/config';
import { WORKSPACE_SOURCES } from '../../../scripts/workspaces.mjs';

/** `npm run rehearse` and `npm run rehearse:console`: not in the suite, because they take minutes. */
export default defineConfig({
  resolve: { alias: WORKSPACE_SOURCES },
  test: {
    include: ['simulator/test/rehearsals/*.rehearsal.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 180_000,
    pool: 'forks',
    disableConsoleIntercept: true,
  },
});
