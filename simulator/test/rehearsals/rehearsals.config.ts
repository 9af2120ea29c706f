import { defineConfig } from 'vitest/config';

/** `npm run rehearse` and `npm run rehearse:console`: not in the suite, because they take minutes. */
export default defineConfig({
  test: {
    include: ['simulator/test/rehearsals/*.rehearsal.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 180_000,
    pool: 'forks',
    disableConsoleIntercept: true,
  },
});
