import { useEffect, useState } from 'react';
import { call } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import type { ConfigDocument, Problem } from '../lib/document.js';

/** A pause in typing. */
const PAUSE_MS = 300;

/** What is wrong with a document while it is typed. The service checks it, so that the console and the service never disagree. */
export function useValidation(document: ConfigDocument | undefined): readonly Problem[] {
  const { studio, game } = useStudioAndGame();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    if (document === undefined) return setProblems([]);
    const leaving = new AbortController();
    const timer = setTimeout(async () => {
      const request = { params: { game }, body: { document } };
      // A check that failed is not shown: saving checks the document, too.
      const response = await call('validateDocument', request, { studio, signal: leaving.signal }).catch(
        () => undefined,
      );
      if (response !== undefined && !leaving.signal.aborted) setProblems(response.problems);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [document, studio, game]);
  return problems;
}
