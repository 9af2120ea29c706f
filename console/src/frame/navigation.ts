import type { IconName } from '../parts/Icon.js';

/** The pages, in their order, with the key that goes there after `g`. */
export const PAGES = [
  { to: '/$studio/$game', name: 'Overview', icon: 'overview', key: 'o' },
  { to: '/$studio/$game/analysis', name: 'Analysis', icon: 'analysis', key: 'a' },
  { to: '/$studio/$game/players', name: 'Players', icon: 'players', key: 'p' },
  { to: '/$studio/$game/store', name: 'Store', icon: 'store', key: 's' },
  { to: '/$studio/$game/segments', name: 'Segments', icon: 'segments', key: 'm' },
  { to: '/$studio/$game/values', name: 'Values', icon: 'values', key: 'v' },
  { to: '/$studio/$game/attributes', name: 'Attributes', icon: 'attributes', key: 'b' },
  { to: '/$studio/$game/experiments', name: 'Experiments', icon: 'experiments', key: 'x' },
  { to: '/$studio/$game/events', name: 'Events', icon: 'events', key: 'e' },
  { to: '/$studio/$game/predictions', name: 'Predictions', icon: 'predictions', key: 'r' },
  { to: '/$studio/$game/settings', name: 'Settings', icon: 'settings', key: 't' },
] as const satisfies readonly { to: string; name: string; icon: IconName; key: string }[];
