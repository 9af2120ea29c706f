import { defineConfig } from 'vitest/config';

/** `npm run rehearse`: not in the suite, because it takes minutes. */
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
