import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Group,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { useStudioAndGame } from '../api/hooks.js';
import { preloadPages } from '../api/lazy-pages.js';
import { useMe } from '../api/session.js';
import { useEventRate } from '../api/use-event-rate.js';
import { DraftBar } from '../draft/DraftBar.js';
import { DraftProvider } from '../draft/draft-context.js';
import { Icon } from '../parts/Icon.js';
import { ProblemNote } from '../parts/states.js';
import { GameSwitch } from './GameSwitch.js';
import { Help } from './Help.js';
import { InstallationWarnings } from './InstallationWarnings.js';
import { PAGES } from './navigation.js';
import { RunningJobs } from './RunningJobs.js';
import { SearchBox } from './SearchBox.js';
import { UserMenu } from './UserMenu.js';
import { useShortcuts } from './use-shortcuts.js';

/** What is around every page of a game. */
export function Frame() {
  const me = useMe();
  const { studio, game } = useStudioAndGame();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const searchBox = useRef<HTMLInputElement>(null);
  const focusSearch = useCallback(() => searchBox.current?.focus(), []);
  useShortcuts({ onSearch: focusSearch, onHelp: help.open });
  const environment = me.data?.environment;
  useEffect(() => {
    if (environment !== undefined) document.body.dataset.environment = environment;
  }, [environment]);

  const isSignedIn = me.data !== undefined;
  useEffect(() => (isSignedIn ? preloadPages() : undefined), [isSignedIn]);

  if (me.isError && me.error.status !== 401) {
    return (
      <ProblemNote problem={me.error} onRetry={() => me.refetch()}>
        <Anchor href="/console/">Go to a studio of yours</Anchor>
      </ProblemNote>
    );
  }
  // Without it the role is not known, and every other request would be refused.
  if (me.data === undefined) return null;
  return (
    <DraftProvider key={`${studio}/${game}`}>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
        padding="md"
      >
        <a className="skip" href="#page">
          Go to the page
        </a>
        <AppShell.Header className="frame-top">
          <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
            <Group gap="md" wrap="nowrap">
              <Burger opened={isMenuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
              <Text fw={700} visibleFrom="sm" w={150}>
                Savepoint
              </Text>
              <div className="game-and-environment">
                <GameSwitch />
                <Text size="sm" className="environment">
                  {environment}
                </Text>
              </div>
            </Group>
            <Group gap="xs" wrap="nowrap">
              <SearchBox ref={searchBox} />
              <SchemeSwitch />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Pages">
          <AppShell.Section grow component={ScrollArea}>
            <Navigation onGo={menu.close} />
          </AppShell.Section>
          <AppShell.Section>
            <RunningJobs onGo={menu.close} />
            <UserMenu />
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main className="frame-main">
          <div id="page" className="frame-page">
            <InstallationWarnings />
            <Outlet />
          </div>
          <DraftBar />
        </AppShell.Main>
        <Help isOpen={isHelpOpen} onClose={help.close} />
      </AppShell>
    </DraftProvider>
  );
}

function Navigation({ onGo }: { onGo: () => void }) {
  const { studio, game } = useStudioAndGame();
  const isArriving = (useEventRate() ?? 0) > 0;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const base = `/${studio}/${game}`;
  return PAGES.map(({ to, name, icon, key }) => {
    const address = to.replace('/$studio/$game', base);
    const isActive = address === base ? path.replace(/\/$/, '').endsWith(base) : path.includes(address);
    return (
      <NavLink
        key={to}
        className="navigation-link"
        label={name}
        title={`g ${key}`}
        leftSection={<Icon name={icon} />}
        rightSection={
          name === 'Events' && isArriving ? (
            <span className="dot" role="img" aria-label="Events arrive now" />
          ) : null
        }
        active={isActive}
        {...(isActive ? { 'aria-current': 'page' as const } : {})}
        renderRoot={(props) => (
          // Otherwise the first page would count as active on every page: all addresses begin with its address.
          <Link
            {...props}
            to={to}
            params={{ studio, game }}
            onClick={onGo}
            activeOptions={{ exact: name === 'Overview' }}
          />
        )}
      />
    );
  });
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      aria-label={isDark ? 'Light colours' : 'Dark colours'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </ActionIcon>
  );
}
