import { Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useDraft } from '../../draft/draft-context.js';
import type { ConfigDocument } from '../../lib/document.js';
import { Page } from '../../parts/Page.js';
import { PageTabs } from '../../parts/PageTabs.js';
import { Calendar } from './Calendar.js';
import { Catalogue } from './Catalogue.js';
import { CatalogueFiles } from './CatalogueFiles.js';
import { History } from './History.js';
import { Offers } from './Offers.js';
import { Preview } from './Preview.js';
import { StoreRules } from './StoreRules.js';

const route = getRouteApi('/$studio/$game/store');

/** For producers: edit, preview and publish the store. */
export function Store() {
  const { tab = 'catalogue' } = route.useSearch();
  const navigate = route.useNavigate();
  const { document } = useDraft();
  const of = (Content: (props: { document: ConfigDocument }) => ReactNode) =>
    document === undefined ? (
      <Skeleton height={320} role="status" aria-label="Loading" />
    ) : (
      <Content document={document} />
    );
  return (
    <Page
      title="Store"
      question="What players can buy, at which price, and who is offered something else."
      actions={tab === 'catalogue' && <CatalogueFiles />}
    >
      <PageTabs
        value={tab}
        tabs={[
          { value: 'catalogue', label: 'Catalogue', content: of(Catalogue) },
          { value: 'offers', label: 'Offers', content: of(Offers) },
          { value: 'calendar', label: 'Calendar', content: of(Calendar) },
          { value: 'preview', label: 'Preview', content: of(Preview) },
          { value: 'rules', label: 'Limits', content: of(StoreRules) },
          { value: 'history', label: 'History', content: <History /> },
        ]}
        onChange={(next) => navigate({ search: { tab: next } })}
      />
    </Page>
  );
}
