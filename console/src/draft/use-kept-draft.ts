import { type Dispatch, useEffect, useRef, useState } from 'react';
import { useStudioAndGame } from '../api/hooks.js';
import { useMe } from '../api/session.js';
import { isSame } from '../lib/document.js';
import type { Draft, DraftAction, DraftState } from './draft-reducer.js';
import { findKeptDraft, forgetDraft, keepDraft } from './kept-draft.js';
import { WINDOW_ID } from './use-draft-editors.js';

const lockOf = (windowId: string) => `savepoint-window/${windowId}`;

/** Held until this window is closed, so that other windows know that it is open. Browsers have no locks on plain http. */
const isHeld = navigator.locks?.request(lockOf(WINDOW_ID), () => new Promise(() => {}));
isHeld?.catch(() => {});

/** Keeps what is not saved in the browser, and puts it back once, when the draft of the game is there. */
export function useKeptDraft(
  { working, aside }: DraftState,
  draft: Draft | undefined,
  dispatch: Dispatch<DraftAction>,
): void {
  const { studio, game } = useStudioAndGame();
  const { data: me } = useMe();
  const accountId = me?.account?.accountId;
  const isAsked = useRef(false);
  const [isReady, setReady] = useState(false);

  useEffect(() => {
    if (isAsked.current || draft === undefined || accountId === undefined) return;
    isAsked.current = true;
    const place = { accountId, studio, game };
    void openWindows().then((open) => {
      const isOpenElsewhere = (id: string) => id !== WINDOW_ID && open.includes(lockOf(id));
      const kept = findKeptDraft(localStorage, place, isOpenElsewhere);
      if (kept !== undefined) {
        forgetDraft(localStorage, place, kept.windowId);
        // The last save may have arrived although its response did not.
        const isSaved = kept.working !== null && isSame(kept.working.document, draft.document);
        dispatch({ type: 'restore', working: isSaved ? null : kept.working, aside: kept.aside, at: kept.at });
      }
      setReady(true);
    });
  }, [accountId, studio, game, draft, dispatch]);

  useEffect(() => {
    if (!isReady || accountId === undefined) return;
    const place = { accountId, studio, game };
    if (working === null && aside === null) forgetDraft(localStorage, place, WINDOW_ID);
    else keepDraft(localStorage, place, WINDOW_ID, { working, aside, at: new Date().toISOString() });
  }, [isReady, accountId, studio, game, working, aside]);
}

async function openWindows(): Promise<string[]> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.flatMap(({ name }) => name ?? []);
}
