import { getRouteApi } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import type { Experiment } from '../../lib/document.js';
import { ExperimentPanel } from './ExperimentPanel.js';

const route = getRouteApi('/$studio/$game/experiments');

type Shown = DataOf<'listExperiments'>['experiments'][number];

/** The experiments of the draft, and the panel of the one that is open. */
export function useExperimentEditor(published: readonly Pick<Shown, 'experiment'>[]) {
  const { isEditor } = useRole();
  const { edit: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const { document, edit } = useDraft();
  const entries = document === undefined ? undefined : (document.experiments ?? []);
  const { open, add } = useEntries<Experiment>({
    entries: entries ?? [],
    idOf: ({ experimentId }) => experimentId,
    pointer: '/experiments',
    set: (change) => edit((before) => ({ ...before, experiments: change(before.experiments ?? []) })),
    openId,
    onOpen: (id, replace) => navigate({ search: (before) => ({ ...before, edit: id }), replace }),
  });
  const panel = open !== undefined && document !== undefined && (
    <ExperimentPanel
      {...open}
      experiment={open.entry}
      published={
        published.find(({ experiment }) => experiment.experimentId === open.entry.experimentId)?.experiment
      }
      document={document}
      isReadOnly={!isEditor}
    />
  );
  const openPanel = (id: string) => navigate({ search: (before) => ({ ...before, edit: id }) });
  return { entries, add, panel, openPanel };
}
