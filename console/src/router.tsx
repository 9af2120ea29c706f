import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { lazyPage } from './api/lazy-pages.js';
import { Frame } from './frame/Frame.js';
import { NotFound, PageFailed } from './frame/NotFound.js';
import { known, readSearch, writeSearch } from './lib/search.js';
import { watchVisits } from './lib/visits.js';
import { Start } from './pages/sign-in/Start.js';

/** Every view has an address, and each page is loaded when it is opened. */

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailed });

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: known('studio'),
  component: Start,
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: known('next'),
  component: lazyPage(() => import('./pages/sign-in/SignIn.js'), 'SignIn'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyPage(() => import('./pages/sign-in/Invitation.js'), 'Invitation'),
});

const frame = createRoute({
  getParentRoute: () => root,
  path: '/$studio/$game',
  /** The panels of the draft bar open on every page. */
  validateSearch: known('panel'),
  component: Frame,
});
const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  validateSearch: known('days', 'from', 'to', 'show', 'currency', 'view', 'by'),
  component: lazyPage(() => import('./pages/overview/Overview.js'), 'Overview'),
});
const players = createRoute({
  getParentRoute: () => frame,
  path: '/players',
  validateSearch: known('find', 'sort', 'currency', 'paid', 'country', 'seen', 'segment', 'hidden'),
  component: lazyPage(() => import('./pages/players/Players.js'), 'Players'),
});
const player = createRoute({
  getParentRoute: () => frame,
  path: '/players/$playerId',
  validateSearch: known('at', 'version', 'kinds', 'type', 'from', 'to', 'edit', 'pin', 'arm'),
  component: lazyPage(() => import('./pages/player/Player.js'), 'Player'),
});
const store = createRoute({
  getParentRoute: () => frame,
  path: '/store',
  validateSearch: known(
    'tab',
    'sku',
    'offer',
    'filter',
    'version',
    'as',
    'invented',
    'under',
    'time',
    'month',
    'zone',
  ),
  component: lazyPage(() => import('./pages/store/Store.js'), 'Store'),
});
const segments = createRoute({
  getParentRoute: () => frame,
  path: '/segments',
  validateSearch: known('segment'),
  component: lazyPage(() => import('./pages/segments/Segments.js'), 'Segments'),
});
const values = createRoute({
  getParentRoute: () => frame,
  path: '/values',
  validateSearch: known('value'),
  component: lazyPage(() => import('./pages/values/Values.js'), 'Values'),
});
const attributes = createRoute({
  getParentRoute: () => frame,
  path: '/attributes',
  validateSearch: known('attribute'),
  component: lazyPage(() => import('./pages/attributes/Attributes.js'), 'Attributes'),
});
const experiments = createRoute({
  getParentRoute: () => frame,
  path: '/experiments',
  validateSearch: known('experiment', 'seed', 'edit'),
  component: lazyPage(() => import('./pages/experiments/Experiments.js'), 'Experiments'),
});
const events = createRoute({
  getParentRoute: () => frame,
  path: '/events',
  validateSearch: known('tab', 'type', 'player', 'reason', 'event', 'from', 'to', 'schema'),
  component: lazyPage(() => import('./pages/events/Events.js'), 'Events'),
});
const predictions = createRoute({
  getParentRoute: () => frame,
  path: '/predictions',
  validateSearch: known('model', 'day', 'score'),
  component: lazyPage(() => import('./pages/predictions/Predictions.js'), 'Predictions'),
});
const analysis = createRoute({
  getParentRoute: () => frame,
  path: '/analysis',
  validateSearch: known(
    'tab',
    'days',
    'from',
    'to',
    'by',
    'period',
    'currency',
    'steps',
    'window',
    'split',
    'sql',
  ),
  component: lazyPage(() => import('./pages/analysis/Analysis.js'), 'Analysis'),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  validateSearch: known('tab', 'entry', 'all', 'flag'),
  component: lazyPage(() => import('./pages/settings/Settings.js'), 'Settings'),
});

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    start,
    signIn,
    invitation,
    frame.addChildren([
      overview,
      players,
      player,
      store,
      segments,
      values,
      attributes,
      experiments,
      events,
      predictions,
      analysis,
      settings,
    ]),
  ]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
watchVisits(router.history);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
