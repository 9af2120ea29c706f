import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/Page.js';
import { EventTypes } from './EventTypes.js';
import { FailedEvents } from './FailedEvents.js';
import { LiveTail } from './LiveTail.js';
import { Losses } from './Losses.js';

const route = getRouteApi('/$studio/$game/events');

const TABS = [
  ['live', 'Live', LiveTail],
  ['types', 'Types', EventTypes],
  ['failed', 'Failed', FailedEvents],
  ['losses', 'Losses', Losses],
] as const;

/** For the developer: do my events arrive, and are they right? */
export function Events() {
  const { tab = 'live' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Events" question="Do events arrive, and are they what they should be?">
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
        {TABS.map(([value, , Content]) => (
          <Tabs.Panel key={value} value={value}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
