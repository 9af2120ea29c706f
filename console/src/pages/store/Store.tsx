import { Skeleton, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDraft } from '../../draft/draft-context.js';
import { Page } from '../../parts/Page.js';
import { Catalogue } from './Catalogue.js';
import { CatalogueFiles } from './CatalogueFiles.js';
import { History } from './History.js';
import { Offers } from './Offers.js';
import { Preview } from './Preview.js';
import { StoreRules } from './StoreRules.js';

const route = getRouteApi('/$studio/$game/store');

const TABS = [
  ['catalogue', 'Catalogue'],
  ['offers', 'Offers'],
  ['preview', 'Preview'],
  ['rules', 'Limits'],
  ['history', 'History'],
] as const;

/** For the producer: change the store on Friday afternoon and not break it. */
export function Store() {
  const { tab = 'catalogue' } = route.useSearch();
  const navigate = route.useNavigate();
  const { document } = useDraft();
  return (
    <Page
      title="Store"
      question="What players can buy, at which price, and who is offered something else."
      actions={tab === 'catalogue' && <CatalogueFiles />}
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => next !== null && navigate({ search: { tab: next } })}
      >
        <Tabs.List mb="md">
          {TABS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {document === undefined ? (
          <Skeleton height={320} role="status" aria-label="Loading" />
        ) : (
          <>
            <Tabs.Panel value="catalogue">
              <Catalogue document={document} />
            </Tabs.Panel>
            <Tabs.Panel value="offers">
              <Offers document={document} />
            </Tabs.Panel>
            <Tabs.Panel value="preview">
              <Preview document={document} />
            </Tabs.Panel>
            <Tabs.Panel value="rules">
              <StoreRules settings={document.store} />
            </Tabs.Panel>
          </>
        )}
        <Tabs.Panel value="history">
          <History />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
