import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect } from 'react';
import { type ApiProblem, call, type DataOf } from '../api/client.js';
import { keyOf, useStudioAndGame } from '../api/hooks.js';
import { useMe, useRole } from '../api/session.js';

/** Other editors see within this time who edits, and what was saved. The request is small. */
const EVERY_MS = 5_000;
/** Where nothing is edited. */
const SELDOM_MS = 10_000;

export const WINDOW_ID = randomUuid();

/**
 * Who has the draft open, and its revision. While the draft is open in this window, the request also tells the others so.
 * `changedAt` is when the last change was typed here.
 */
export function useDraftEditors({
  isOpen,
  isEditedHere,
  changedAt,
}: {
  isOpen: boolean;
  isEditedHere: boolean;
  changedAt: RefObject<number | null>;
}): DataOf<'listDraftEditors'> | undefined {
  const { studio, game } = useStudioAndGame();
  const { data: me } = useMe();
  const { isEditor } = useRole();
  const isTold = isOpen && isEditor && me?.account !== null;
  const { data, refetch } = useQuery<DataOf<'listDraftEditors'>, ApiProblem>({
    queryKey: keyOf(studio, 'listDraftEditors', { params: { game } }),
    queryFn: ({ signal }) => {
      if (!isTold) return call('listDraftEditors', { params: { game } }, { studio, signal });
      const at = isEditedHere ? changedAt.current : null;
      const secondsSinceChange = at === null ? null : Math.max(0, Math.round((Date.now() - at) / 1000));
      const request = { params: { game, windowId: WINDOW_ID }, body: { secondsSinceChange } };
      return call('keepDraftOpen', request, { studio, signal });
    },
    refetchInterval: isTold ? EVERY_MS : SELDOM_MS,
    // What is typed in a window in the background is still not saved.
    refetchIntervalInBackground: isTold,
  });
  // The first change, and that all is saved, are told at once, not with the next turn.
  useEffect(() => {
    if (isTold || isEditedHere) void refetch();
  }, [isTold, isEditedHere, refetch]);
  useEffect(() => {
    if (!isTold) return;
    const close = () => {
      const request = { params: { game, windowId: WINDOW_ID } };
      // If it fails, the service notices after a while that the window is gone.
      call('closeDraft', request, { studio, isKeptAlive: true }).catch(() => {});
    };
    window.addEventListener('pagehide', close);
    return () => {
      window.removeEventListener('pagehide', close);
      close();
    };
  }, [isTold, studio, game]);
  return data;
}

/** `crypto.randomUUID` is missing on pages that are served without TLS. */
function randomUuid(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const text = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
