import { useDraft } from '../../draft/draft-context.js';
import { problemsUnder, type StoreSettings } from '../../lib/document.js';

/** Changes settings of the whole store, with what is wrong with each of them. */
export function useStoreSettings(): {
  set: (change: Partial<StoreSettings>) => void;
  problemAt: (member: string) => string | undefined;
} {
  const { edit, problems } = useDraft();
  return {
    set: (change) => edit((before) => ({ ...before, store: { ...before.store, ...change } })),
    problemAt: (member) => problemsUnder(problems, '/store').find((each) => each.member === member)?.message,
  };
}
