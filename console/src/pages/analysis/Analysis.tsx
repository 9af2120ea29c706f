import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/Page.js';
import { PageTabs } from '../../parts/PageTabs.js';
import { Funnel } from './Funnel.js';
import { LifetimeValue } from './LifetimeValue.js';
import { RevenueForecast } from './RevenueForecast.js';
import { Sql } from './Sql.js';

const route = getRouteApi('/$studio/$game/analysis');

const TABS = [
  { value: 'ltv', label: 'Lifetime value', content: <LifetimeValue /> },
  { value: 'forecast', label: 'Forecast', content: <RevenueForecast /> },
  { value: 'funnel', label: 'Funnel', content: <Funnel /> },
  { value: 'sql', label: 'SQL', content: <Sql /> },
];

/** For analysts: what players are worth, what is to come, and where players are lost. */
export function Analysis() {
  const { tab = 'ltv' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Analysis" question="What are players worth, what comes next, and where do players stop?">
      <PageTabs value={tab} tabs={TABS} onChange={(next) => navigate({ search: { tab: next } })} />
    </Page>
  );
}
