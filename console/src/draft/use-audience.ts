import { useEffect, useState } from 'react';
import { ApiProblem, call, type DataOf } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import type { ConfigDocument } from '../lib/document.js';

export type Audience = DataOf<'countAudience'>;
export type AudienceState = {
  /** The last count; of what was typed before, while `isCounting`. */
  audience: Audience | null;
  isCounting: boolean;
  /** Why the typed part could not be counted. */
  problem: ApiProblem | null;
};

/** A pause in typing. */
const PAUSE_MS = 400;
/** The wait while another member of the studio is counting; a count takes less time. */
const BUSY_MS = 1_000;

/** What is counted: an offer, a segment, or a rule of a value by its index. */
export type AudiencePart =
  | { offerId: string }
  | { segmentId: string }
  | { value: { key: string; rule: number } };

/** How many players a part of the document reaches while it is typed. A newer count cancels an older one, here and in the service. */
export function useAudience(document: ConfigDocument, part: AudiencePart): AudienceState {
  const { studio, game } = useStudioAndGame();
  // As text: the part is another object each time.
  const named = JSON.stringify(part);
  const [state, setState] = useState<AudienceState>({ audience: null, isCounting: true, problem: null });
  useEffect(() => {
    const overtaken = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const count = async () => {
      const asked = JSON.parse(named) as AudiencePart;
      const request = { params: { game }, body: { document, ...asked } };
      try {
        const audience = await call('countAudience', request, { studio, signal: overtaken.signal });
        if (!overtaken.signal.aborted) setState({ audience, isCounting: false, problem: null });
      } catch (error) {
        if (overtaken.signal.aborted) return;
        const problem = error instanceof ApiProblem ? error : new ApiProblem(0, 'unreachable', String(error));
        if (problem.code === 'busy') timer = setTimeout(count, BUSY_MS);
        else setState({ audience: null, isCounting: false, problem });
      }
    };
    setState(({ audience }) => ({ audience, isCounting: true, problem: null }));
    timer = setTimeout(count, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [document, studio, game, named]);
  return state;
}
