import type { ApiProblem, Schemas } from '../api/client.js';
import { type ConfigDocument, isSame } from '../lib/document.js';
import { type Choices, mergeDocuments, type Side } from '../lib/merge.js';

export type Draft = Schemas['Draft'];
/** What is edited in this window and not saved. `base` is what was saved when the editing began. */
export type Working = Readonly<{ base: Draft; document: ConfigDocument; basedOn?: number }>;
/** Another editor saved `theirs` since the editing here began. */
export type Conflict = Readonly<{ theirs: Draft; choices: Choices }>;
/** What was not saved when the newer draft was loaded. */
export type Aside = Readonly<{ base: ConfigDocument; document: ConfigDocument }>;

/**
 * The draft while it is edited in this window.
 *
 *   as saved ──edit──► edited ──save──► as saved
 *                        │  └─409 draft_conflict─► in conflict ──load theirs──► as saved, mine set aside
 *                        └──undo──► as saved            └──put mine on top──► edited, on their revision
 *
 * Every save names the revision that the editing began with, so nothing that another editor saved is overwritten.
 */
export type DraftState = Readonly<{
  working: Working | null;
  isSaving: boolean;
  saveProblem: ApiProblem | null;
  conflict: Conflict | null;
  aside: Aside | null;
  /** When it was typed, if it was found in the browser; null once it is saved, undone or set aside. */
  restoredAt: string | null;
}>;

export const AS_SAVED: DraftState = {
  working: null,
  isSaving: false,
  saveProblem: null,
  conflict: null,
  aside: null,
  restoredAt: null,
};

export type DraftAction =
  /** `draft` is what is saved now, here and below. */
  | { type: 'edit'; draft: Draft; change: (document: ConfigDocument) => ConfigDocument }
  /** What was not saved when the window was left. */
  | { type: 'restore'; working: Working | null; aside: Aside | null; at: string }
  | { type: 'undo' }
  /** A document that takes a newer published version into account. */
  | { type: 'rebase'; draft: Draft; document: ConfigDocument; basedOn: number }
  | { type: 'save' }
  | { type: 'saved'; draft: Draft; sent: ConfigDocument }
  /** `theirs` where another editor saved first. */
  | { type: 'saveFailed'; problem: ApiProblem | null; theirs?: Draft }
  | { type: 'choose'; key: string; side: Side }
  | { type: 'putMineOnTop' }
  | { type: 'loadTheirs' }
  | { type: 'decideLater' }
  | { type: 'takeOverAside'; draft: Draft }
  | { type: 'dropAside' };

export function draftReducer(state: DraftState, action: DraftAction): DraftState {
  const { working, conflict, aside } = state;
  switch (action.type) {
    case 'edit':
      return edited(state, action.draft, action.change);
    case 'restore': {
      // What was typed meanwhile is newer.
      const restored = working ?? action.working;
      const restoredAt = working === null && restored !== null ? action.at : state.restoredAt;
      return { ...state, working: restored, aside: aside ?? action.aside, restoredAt };
    }
    case 'undo':
      return { ...state, working: null, conflict: null, saveProblem: null, restoredAt: null };
    case 'rebase': {
      const { draft: base, document, basedOn } = action;
      return { ...state, working: { base, document, basedOn } };
    }
    case 'save':
      return { ...state, isSaving: true, saveProblem: null };
    case 'saved': {
      // Changes that were typed while the request was on its way stay, on top of the saved document.
      const isAllSaved = working === null || isSame(working.document, action.sent);
      return {
        ...state,
        isSaving: false,
        conflict: null,
        restoredAt: null,
        working: isAllSaved ? null : { base: action.draft, document: working.document },
      };
    }
    case 'saveFailed': {
      const { problem, theirs } = action;
      const found = theirs === undefined ? conflict : { theirs, choices: {} };
      return { ...state, isSaving: false, saveProblem: problem, conflict: working && found };
    }
    case 'choose': {
      if (conflict === null) return state;
      const choices = { ...conflict.choices, [action.key]: action.side };
      return { ...state, conflict: { ...conflict, choices } };
    }
    case 'putMineOnTop': {
      if (working === null || conflict === null) return state;
      const { theirs, choices } = conflict;
      const { document } = mergeDocuments(working.base.document, working.document, theirs.document, choices);
      return edited({ ...state, working: null, conflict: null }, theirs, () => document);
    }
    case 'loadTheirs': {
      const mine = working && { base: working.base.document, document: working.document };
      return draftReducer({ ...state, aside: mine ?? aside }, { type: 'undo' });
    }
    case 'decideLater':
      return { ...state, conflict: null };
    case 'takeOverAside': {
      if (aside === null) return state;
      const onTop = (present: ConfigDocument) => asideOnTop(aside, present);
      return edited({ ...state, aside: null }, action.draft, onTop);
    }
    case 'dropAside':
      return { ...state, aside: null };
  }
}

/** The document with what was set aside on top. Where both changed a value, mine is taken. */
export function asideOnTop({ base, document }: Aside, present: ConfigDocument): ConfigDocument {
  return mergeDocuments(base, document, present).document;
}

function edited(
  state: DraftState,
  draft: Draft,
  change: (document: ConfigDocument) => ConfigDocument,
): DraftState {
  const { working } = state;
  const base = working?.base ?? draft;
  const document = change(working?.document ?? base.document);
  const isBack = working?.basedOn === undefined && isSame(document, base.document);
  return { ...state, saveProblem: null, working: isBack ? null : { ...working, base, document } };
}
