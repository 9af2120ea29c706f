import { lazyRouteComponent } from '@tanstack/react-router';

/** Pages are loaded one by one when they are opened, and all of them once the browser is idle: then a lost connection loses no page. */
const loaders: (() => Promise<unknown>)[] = [];

type Loader = Parameters<typeof lazyRouteComponent>[0];

/** A page that is loaded when it is first opened. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  loaders.push(load);
  return lazyRouteComponent((() => load().catch(explain)) as Loader, name as never);
}

/**
 * The router loads the whole console again when a file is missing, as after an update. Without a connection that would end in the
 * error page of the browser, so the page says what is wrong instead.
 */
async function explain(error: unknown): Promise<never> {
  const isReachable = await fetch('/console/favicon.svg', { cache: 'no-store' }).then(
    () => true,
    () => false,
  );
  if (isReachable) throw error;
  throw new Error('The service cannot be reached. Check the connection, then load the page again.');
}

/** Loads all pages when the browser has nothing else to do. Failures are left to the visit of the page. */
export function preloadPages(): () => void {
  const load = () => {
    for (const each of loaders) void each().catch(() => {});
  };
  // Safari has no idle callbacks.
  if (window.requestIdleCallback === undefined) {
    const timer = window.setTimeout(load, 2_000);
    return () => window.clearTimeout(timer);
  }
  const callback = window.requestIdleCallback(load);
  return () => window.cancelIdleCallback(callback);
}
