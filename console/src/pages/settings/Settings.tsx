import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import { Page } from '../../parts/Page.js';
import { PageTabs } from '../../parts/PageTabs.js';
import { Account } from './Account.js';
import { AuditLog } from './AuditLog.js';
import { Erasures } from './Erasures.js';
import { Flags } from './Flags.js';
import { GameSettings } from './GameSettings.js';
import { Games } from './Games.js';
import { Jobs } from './Jobs.js';
import { Keys } from './Keys.js';
import { Limits } from './Limits.js';
import { Members } from './Members.js';
import { PredictionSettings } from './PredictionSettings.js';
import { Rates } from './Rates.js';
import { Stores } from './Stores.js';
import { Tokens } from './Tokens.js';

const route = getRouteApi('/$studio/$game/settings');

const TABS = [
  { value: 'keys', label: 'API keys', Content: Keys, isForOwners: true },
  { value: 'members', label: 'Members', Content: Members, isForOwners: true },
  { value: 'tokens', label: 'Admin tokens', Content: Tokens, isForOwners: true },
  { value: 'game', label: 'This game', Content: GameSettings, isForOwners: true },
  { value: 'stores', label: 'Receipts', Content: Stores, isForOwners: true },
  { value: 'games', label: 'Games', Content: Games, isForOwners: false },
  { value: 'rates', label: 'Currency', Content: Rates, isForOwners: false },
  { value: 'flags', label: 'Flags', Content: Flags, isForOwners: false },
  { value: 'predictions', label: 'Predictions', Content: PredictionSettings, isForOwners: false },
  { value: 'limits', label: 'Limits', Content: Limits, isForOwners: false },
  { value: 'jobs', label: 'Background work', Content: Jobs, isForOwners: false },
  { value: 'erasures', label: 'Erasures', Content: Erasures, isForOwners: false },
  { value: 'audit', label: 'Audit log', Content: AuditLog, isForOwners: false },
  { value: 'account', label: 'Your account', Content: Account, isForOwners: false },
];

export function Settings() {
  const { isOwner } = useRole();
  const shown = TABS.filter(({ isForOwners }) => isOwner || !isForOwners);
  const { tab = shown[0]?.value ?? 'audit' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Settings" question="Keys, members, games, flags, limits, and who changed what.">
      <PageTabs
        value={tab}
        tabs={shown.map(({ value, label, Content }) => ({ value, label, content: <Content /> }))}
        onChange={(next) => navigate({ search: { tab: next } })}
      />
    </Page>
  );
}
