import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { DeferredContent } from './DeferredContent.js';

/** The parts of a page as tabs; the address says which tab is open. A name that no tab has opens the first one. */
export function PageTabs({
  value,
  tabs,
  onChange,
}: {
  value: string;
  tabs: readonly { value: string; label: string; content: ReactNode }[];
  onChange: (value: string) => void;
}) {
  const open = tabs.some((tab) => tab.value === value) ? value : (tabs[0]?.value ?? null);
  return (
    <Tabs value={open} keepMounted={false} onChange={(next) => next !== null && onChange(next)}>
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          <DeferredContent>{tab.content}</DeferredContent>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
