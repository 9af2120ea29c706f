type Listeners = { onHidden(): void; onOnline(): void };

/** Watches a page for its end and for the network. Does nothing where there is no page. Returns a function that stops it. */
export function onPageChanges({ onHidden, onOnline }: Listeners): () => void {
  if (typeof document === 'undefined' || typeof addEventListener !== 'function') return () => {};
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') onHidden();
  };
  document.addEventListener('visibilitychange', onVisibility);
  // Older versions of Safari do not report a page as hidden when it is left by a link.
  addEventListener('pagehide', onHidden);
  addEventListener('online', onOnline);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('pagehide', onHidden);
    removeEventListener('online', onOnline);
  };
}
