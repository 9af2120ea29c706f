import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/Page.js';
import { PageTabs } from '../../parts/PageTabs.js';
import { EventTypes } from './EventTypes.js';
import { Exports } from './Exports.js';
import { FailedEvents } from './FailedEvents.js';
import { LiveTail } from './LiveTail.js';
import { Losses } from './Losses.js';

const route = getRouteApi('/$studio/$game/events');

const TABS = [
  { value: 'live', label: 'Live', content: <LiveTail /> },
  { value: 'types', label: 'Types', content: <EventTypes /> },
  { value: 'failed', label: 'Failed', content: <FailedEvents /> },
  { value: 'losses', label: 'Losses', content: <Losses /> },
  { value: 'exports', label: 'Exports', content: <Exports /> },
];

/** For developers: whether events arrive and are right. */
export function Events() {
  const { tab = 'live' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Events" question="Do events arrive, and are they what they should be?">
      <PageTabs value={tab} tabs={TABS} onChange={(next) => navigate({ search: { tab: next } })} />
    </Page>
  );
}
