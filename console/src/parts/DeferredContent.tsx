import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { isReturning } from '../lib/visits.js';

/**
 * Its content may take a tenth of a second to build, and longer on a slow computer. It is built after the frame that answers the click, in
 * small parts that let the next click through. Whoever goes back to a page gets it at once: otherwise it would be too short to be scrolled to
 * where it was left.
 */
export function DeferredContent({
  placeholder = null,
  children,
}: {
  placeholder?: ReactNode;
  children: ReactNode;
}) {
  const [isDue, setIsDue] = useState(isReturning);
  useEffect(() => startTransition(() => setIsDue(true)), []);
  return isDue ? children : placeholder;
}
