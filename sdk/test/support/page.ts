import { vi } from 'vitest';

/** The parts of a page that the client uses. Call `vi.unstubAllGlobals()` after the test. */
export function openPage(): { hide(): void } {
  const page = new EventTarget();
  vi.stubGlobal('document', Object.assign(page, { visibilityState: 'hidden' }));
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  return { hide: () => void page.dispatchEvent(new Event('visibilitychange')) };
}
