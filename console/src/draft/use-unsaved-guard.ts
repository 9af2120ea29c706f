import { useEffect, useRef } from 'react';

/** While something is not saved: the browser asks before the page is left, and Ctrl and S save. */
export function useUnsavedGuard(hasUnsaved: boolean, save: () => void): void {
  const newestSave = useRef(save);
  newestSave.current = save;
  useEffect(() => {
    if (!hasUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      newestSave.current();
    };
    window.addEventListener('beforeunload', warn);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('beforeunload', warn);
      window.removeEventListener('keydown', onKey);
    };
  }, [hasUnsaved]);
}
