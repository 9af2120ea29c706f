import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ApiProblem, call, type Schemas } from '../api/client.js';
import { keyOf, useGet, usePlace } from '../api/hooks.js';
import { useMe } from '../api/session.js';
import { whoChanged } from '../lib/conflict-parts.js';
import { type ConfigDocument, type DocumentChange, isSame, type Problem } from '../lib/document.js';
import { type OtherEditor, otherEditors } from '../lib/draft-editors.js';
import { mergeDocuments } from '../lib/merge.js';
import { useDraftEditors, WINDOW_ID } from './use-draft-editors.js';
import { useValidation } from './use-validation.js';

export type Draft = Schemas['Draft'];

/**
 * The draft while it is edited in this window.
 *
 *   as saved ──edit──► edited ──save──► as saved
 *                        │  └─409 draft_conflict─► in conflict ──load theirs──► as saved, mine set aside
 *                        └──undo──► as saved            └──put mine on top──► edited, on their revision
 *
 * Every save names the revision that the editing began with, so nothing that another editor saved is overwritten. The context is around all
 * pages of a game: going to another page loses nothing.
 */
export type DraftEditor = {
  draft: Draft | undefined;
  /** With the changes that were typed here and are not saved. */
  document: ConfigDocument | undefined;
  isEditedHere: boolean;
  problems: readonly Problem[];
  isSaving: boolean;
  saveProblem: ApiProblem | null;
  /** The editor who has saved since the editing here began; shown before the next save. */
  overtakenBy: string | null;
  /** Who else has the draft open. */
  others: readonly OtherEditor[];
  conflict: Conflict | null;
  aside: Aside | null;
  edit: (change: (document: ConfigDocument) => ConfigDocument) => void;
  save: () => void;
  undo: () => void;
  /** Shows what another editor has saved beside what was typed here. */
  showConflict: () => void;
  /** Loads what the other editor saved. What was typed here is set aside. */
  loadTheirs: () => void;
  putMineOnTop: () => void;
  takeOverAside: () => void;
  dropAside: () => void;
  /** Closes the conflict without a decision: the typed changes stay, and the next save shows the conflict again. */
  decideLater: () => void;
  /** A document that takes a newer published version into account. */
  rebase: (document: ConfigDocument, basedOn: number) => void;
  refresh: () => void;
};

export type Conflict = {
  theirs: Draft;
  conflicts: string[];
  merged: ConfigDocument;
  changes: { mine: DocumentChange[]; theirs: DocumentChange[] };
};
/** Changes that were not saved when the newer draft was loaded. */
export type Aside = { base: ConfigDocument; document: ConfigDocument; changes: readonly DocumentChange[] };
/** `base` is what was saved when the editing began. */
type Working = { base: Draft; document: ConfigDocument; basedOn?: number };

const Context = createContext<DraftEditor | undefined>(undefined);
/** Pages on which the draft is edited. On the others it counts as open while something is not saved. */
const IS_EDIT_PAGE = /\/(?:store|segments)\/?$/;

export function useDraft(): DraftEditor {
  const editor = useContext(Context);
  if (editor === undefined) throw new Error('there is no draft outside a game');
  return editor;
}

export function DraftProvider({ children }: { children: ReactNode }) {
  const { studio, game } = usePlace();
  const queries = useQueryClient();
  const request = useMemo(() => ({ params: { game } }), [game]);
  const { data: me } = useMe();
  const { data: draft } = useGet('getDraft', request);
  const [working, setWorking] = useState<Working | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [saveProblem, setSaveProblem] = useState<ApiProblem | null>(null);
  const document = working?.document ?? draft?.document;
  const isEditedHere = working !== null;
  const found = useValidation(working?.document);
  const [aside, setAside] = useState<Aside | null>(null);
  const changedAt = useRef<number | null>(null);
  const isEditPage = useRouterState({ select: ({ location }) => IS_EDIT_PAGE.test(location.pathname) });
  const watched = useDraftEditors({ isOpen: isEditPage || isEditedHere, isEditedHere, changedAt });

  const refresh = useCallback(() => {
    for (const id of ['getDraft', 'draftDifference', 'listVersions', 'listGames', 'explain'] as const) {
      queries.invalidateQueries({ queryKey: [studio, id] });
    }
  }, [queries, studio]);

  // Another editor has saved, discarded or published: the draft is read again.
  const newest = watched?.revision ?? 0;
  const isOutdated = draft !== undefined && newest > draft.revision;
  useEffect(() => {
    if (isOutdated && newest > 0) refresh();
  }, [isOutdated, newest, refresh]);

  const edit = useCallback<DraftEditor['edit']>(
    (change) => {
      setSaveProblem(null);
      changedAt.current = Date.now();
      setWorking((now) => {
        const base = now?.base ?? draft;
        if (base === undefined) return now;
        const next = change(now?.document ?? base.document);
        const isBack = now?.basedOn === undefined && isSame(next, base.document);
        return isBack ? null : { ...now, base, document: next };
      });
    },
    [draft],
  );

  const undo = useCallback(() => {
    setWorking(null);
    setConflict(null);
    setSaveProblem(null);
    refresh();
  }, [refresh]);

  const save = useCallback(async () => {
    if (working === null || isSaving) return;
    setSaving(true);
    setSaveProblem(null);
    const { base, document: mine, basedOn } = working;
    const body = { revision: base.revision, document: mine, ...(basedOn === undefined ? {} : { basedOn }) };
    try {
      const saved = await call('saveDraft', { params: { game }, body }, { studio });
      queries.setQueryData(keyOf(studio, 'getDraft', request), saved);
      // Changes that were typed while the request was on its way stay, on top of the saved document.
      setWorking((now) =>
        now === null || isSame(now.document, mine) ? null : { base: saved, document: now.document },
      );
      setConflict(null);
      refresh();
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      setSaveProblem(problem);
      if (problem.code === 'draft_conflict') {
        const theirs = await call('getDraft', { params: { game } }, { studio });
        const { document: merged, conflicts } = mergeDocuments(base.document, mine, theirs.document);
        const difference = (problem.details.difference ?? []) as DocumentChange[];
        const changes = whoChanged(difference, theirs.document, merged);
        setConflict({ theirs, merged, conflicts, changes });
      }
    } finally {
      setSaving(false);
    }
  }, [working, isSaving, game, studio, queries, request, refresh]);

  const loadTheirs = useCallback(() => {
    if (working !== null && conflict !== null) {
      const { base, document: mine } = working;
      setAside({ base: base.document, document: mine, changes: conflict.changes.mine });
    }
    undo();
  }, [working, conflict, undo]);

  const takeOverAside = useCallback(() => {
    if (aside === null) return;
    edit((present) => mergeDocuments(aside.base, aside.document, present).document);
    setAside(null);
  }, [aside, edit]);

  const putMineOnTop = useCallback(() => {
    if (conflict === null) return;
    setWorking({ base: conflict.theirs, document: conflict.merged });
    setConflict(null);
    setSaveProblem(null);
  }, [conflict]);

  const rebase = useCallback(
    (next: ConfigDocument, basedOn: number) => {
      if (draft !== undefined) setWorking({ base: draft, document: next, basedOn });
    },
    [draft],
  );

  const hasUnsaved = isEditedHere || aside !== null;
  useEffect(() => {
    if (!hasUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void save();
    };
    window.addEventListener('beforeunload', warn);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('beforeunload', warn);
      window.removeEventListener('keydown', onKey);
    };
  }, [hasUnsaved, save]);

  const isOvertaken = working !== null && draft !== undefined && draft.revision !== working.base.revision;
  const editor: DraftEditor = {
    draft,
    document,
    isEditedHere,
    problems: isEditedHere ? found : [],
    isSaving,
    saveProblem,
    overtakenBy: isOvertaken ? (draft.updatedBy ?? 'Another editor') : null,
    others:
      watched === undefined
        ? []
        : otherEditors(watched, watched.editors, { windowId: WINDOW_ID, email: me?.account?.email }),
    conflict,
    aside,
    edit,
    save: () => void save(),
    undo,
    // A save on a revision that is not the newest one changes nothing, and responds with the difference.
    showConflict: () => void save(),
    loadTheirs,
    putMineOnTop,
    takeOverAside,
    dropAside: () => setAside(null),
    decideLater: () => setConflict(null),
    rebase,
    refresh,
  };
  return <Context.Provider value={editor}>{children}</Context.Provider>;
}
