import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import { Page } from '../../parts/Page.js';
import { Account } from './Account.js';
import { AuditLog } from './AuditLog.js';
import { GameSettings } from './GameSettings.js';
import { Keys } from './Keys.js';
import { Members } from './Members.js';
import { Tokens } from './Tokens.js';

const route = getRouteApi('/$studio/$game/settings');

const TABS = [
  { value: 'keys', label: 'API keys', Content: Keys, isForOwners: true },
  { value: 'members', label: 'Members', Content: Members, isForOwners: true },
  { value: 'tokens', label: 'Admin tokens', Content: Tokens, isForOwners: true },
  { value: 'game', label: 'Game', Content: GameSettings, isForOwners: true },
  { value: 'audit', label: 'Audit log', Content: AuditLog, isForOwners: false },
  { value: 'account', label: 'Your account', Content: Account, isForOwners: false },
];

export function Settings() {
  const { isOwner } = useRole();
  const shown = TABS.filter(({ isForOwners }) => isOwner || !isForOwners);
  const { tab = shown[0]?.value ?? 'audit' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Settings" question="Keys, people, and who changed what.">
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => next !== null && navigate({ search: { tab: next } })}
      >
        <Tabs.List mb="md">
          {shown.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(({ value, Content }) => (
          <Tabs.Panel key={value} value={value}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
