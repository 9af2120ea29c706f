/** Whether there is a page: not in Node, and not in a worker. */
export function isPage(): boolean {
  return typeof document !== 'undefined' && typeof addEventListener === 'function';
}

/** Listens to events of the page, where there is one. Returns a function that stops it. */
export function listen<E extends Event>(
  type: string,
  listener: (event: E) => void,
  target: EventTarget = globalThis as unknown as EventTarget,
): () => void {
  if (!isPage()) return () => {};
  target.addEventListener(type, listener as EventListener);
  return () => target.removeEventListener(type, listener as EventListener);
}

/** Watches a page for its end and for the network. Returns functions that stop it. */
export function onPageChanges(onHidden: () => void, onOnline: () => void): (() => void)[] {
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') onHidden();
  };
  return [
    listen('visibilitychange', onVisibility, globalThis.document),
    // Older versions of Safari do not report a page as hidden when it is left by a link.
    listen('pagehide', onHidden),
    listen('online', onOnline),
  ];
}
