import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

const TOKEN = /^token=([\w-]+)$/;

/**
 * The token of a one-time link. It is behind the `#` of the address, which browsers do not send, so no proxy and no access log has
 * it. It is kept in memory and removed from the address at once, so that it is not copied, bookmarked or seen on a shared
 * screen.
 */
export function useLinkToken(): { token: string | undefined; forget: () => void } {
  const inAddress = useLocation({ select: ({ hash }) => TOKEN.exec(hash)?.[1] });
  const [kept, setKept] = useState<string>();
  // Also while the page is open: a link that differs only behind the `#` does not reload the page.
  if (inAddress !== undefined && inAddress !== kept) setKept(inAddress);
  useEffect(() => {
    if (inAddress === undefined) return;
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }, [inAddress]);
  return { token: inAddress ?? kept, forget: () => setKept(undefined) };
}
