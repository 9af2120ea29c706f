import { vi } from 'vitest';

/** What a page is to its script, as far as the client looks. Call `vi.unstubAllGlobals()` after the test. */
export function openPage(): { hide(): void } {
  const page = new EventTarget();
  vi.stubGlobal('document', Object.assign(page, { visibilityState: 'hidden' }));
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  return { hide: () => void page.dispatchEvent(new Event('visibilitychange')) };
}
