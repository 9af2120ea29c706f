import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
} from 'react';
import { ApiProblem, call } from '../api/client.js';
import { keyOf, useGet, useStudioAndGame } from '../api/hooks.js';
import { useMe } from '../api/session.js';
import type { ConfigDocument, Problem } from '../lib/document.js';
import { type OtherEditor, otherEditors } from '../lib/draft-editors.js';
import { AS_SAVED, type Draft, type DraftAction, type DraftState, draftReducer } from './draft-reducer.js';
import { useDraftEditors, WINDOW_ID } from './use-draft-editors.js';
import { useKeptDraft } from './use-kept-draft.js';
import { useUnsavedGuard } from './use-unsaved-guard.js';
import { useValidation } from './use-validation.js';

/** The draft as it is edited in this window. The context is around all pages of a game: going to another page loses nothing. */
export type DraftEditor = DraftState & {
  draft: Draft | undefined;
  /** With the changes that were typed here and are not saved. */
  document: ConfigDocument | undefined;
  isEditedHere: boolean;
  problems: readonly Problem[];
  /** The editor who has saved since the editing here began; shown before the next save. */
  overtakenBy: string | null;
  /** Who else has the draft open. */
  others: readonly OtherEditor[];
  edit: (change: (document: ConfigDocument) => ConfigDocument) => void;
  save: () => void;
  undo: () => void;
  /** Loads what the other editor saved. What was typed here is set aside. */
  loadTheirs: () => void;
  takeOverAside: () => void;
  /** A document that takes a newer published version into account. */
  rebase: (document: ConfigDocument, basedOn: number) => void;
  /** The steps that need nothing but what is shown. */
  dispatch: (
    action: Extract<DraftAction, { type: 'choose' | 'putMineOnTop' | 'decideLater' | 'dropAside' }>,
  ) => void;
  refresh: () => void;
};

const Context = createContext<DraftEditor | undefined>(undefined);
/** Pages on which the draft is edited. On the others it counts as open while something is not saved. */
const IS_EDIT_PAGE = /\/(?:store|segments|values|attributes|experiments)\/?$/;
/** What may be different once the draft is. */
const DEPENDENT = [
  'getDraft',
  'draftDifference',
  'getCalendar',
  'planExperiment',
  'listExperiments',
  'listFormerExperiments',
  'getExperiment',
  'listVersions',
  'listGames',
  'explain',
] as const;

export function useDraft(): DraftEditor {
  const editor = useContext(Context);
  if (editor === undefined) throw new Error('there is no draft outside a game');
  return editor;
}

export function DraftProvider({ children }: { children: ReactNode }) {
  const { studio, game } = useStudioAndGame();
  const queries = useQueryClient();
  const request = useMemo(() => ({ params: { game } }), [game]);
  const { data: me } = useMe();
  const { data: draft } = useGet('getDraft', request);
  const [state, dispatch] = useReducer(draftReducer, AS_SAVED);
  const { working, isSaving, aside } = state;
  const isEditedHere = working !== null;
  const found = useValidation(working?.document);
  const changedAt = useRef<number | null>(null);
  const isEditPage = useRouterState({ select: ({ location }) => IS_EDIT_PAGE.test(location.pathname) });
  const watched = useDraftEditors({ isOpen: isEditPage || isEditedHere, isEditedHere, changedAt });

  const refresh = useCallback(() => {
    for (const id of DEPENDENT) queries.invalidateQueries({ queryKey: [studio, id] });
  }, [queries, studio]);

  // Another editor has saved, discarded or published: the draft is read again.
  const newest = watched?.revision ?? 0;
  const isOutdated = draft !== undefined && newest > draft.revision;
  useEffect(() => {
    if (isOutdated && newest > 0) refresh();
  }, [isOutdated, newest, refresh]);

  async function save(): Promise<void> {
    if (working === null || isSaving) return;
    dispatch({ type: 'save' });
    const { base, document: sent, basedOn } = working;
    const body = { revision: base.revision, document: sent, ...(basedOn === undefined ? {} : { basedOn }) };
    try {
      const saved = await call('saveDraft', { ...request, body }, { studio });
      queries.setQueryData(keyOf(studio, 'getDraft', request), saved);
      dispatch({ type: 'saved', draft: saved, sent });
      refresh();
    } catch (error) {
      const problem = error instanceof ApiProblem ? error : null;
      const isConflict = problem?.code === 'draft_conflict';
      // Without their draft the next save asks again.
      const theirs = isConflict && (await call('getDraft', request, { studio }).catch(() => undefined));
      dispatch({ type: 'saveFailed', problem, ...(theirs ? { theirs } : {}) });
      if (problem === null) throw error;
    }
  }
  useKeptDraft(state, draft, dispatch);
  useUnsavedGuard(isEditedHere || aside !== null, () => void save());

  const isOvertaken = working !== null && draft !== undefined && draft.revision !== working.base.revision;
  const editor: DraftEditor = {
    ...state,
    draft,
    document: working?.document ?? draft?.document,
    isEditedHere,
    problems: isEditedHere ? found : [],
    overtakenBy: isOvertaken ? (draft.updatedBy ?? 'Another editor') : null,
    others:
      watched === undefined
        ? []
        : otherEditors(watched, watched.editors, { windowId: WINDOW_ID, email: me?.account?.email }),
    edit: (change) => {
      changedAt.current = Date.now();
      if (draft !== undefined) dispatch({ type: 'edit', draft, change });
    },
    save: () => void save(),
    undo: () => {
      dispatch({ type: 'undo' });
      refresh();
    },
    loadTheirs: () => {
      dispatch({ type: 'loadTheirs' });
      refresh();
    },
    takeOverAside: () => {
      changedAt.current = Date.now();
      if (draft !== undefined) dispatch({ type: 'takeOverAside', draft });
    },
    rebase: (document, basedOn) => {
      if (draft !== undefined) dispatch({ type: 'rebase', draft, document, basedOn });
    },
    dispatch,
    refresh,
  };
  return <Context.Provider value={editor}>{children}</Context.Provider>;
}
