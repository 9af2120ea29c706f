import { afterAll, vi } from 'vitest';

/** Test files share the process and its modules, which saves the import of them for each file. So each file gives back what it took. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
