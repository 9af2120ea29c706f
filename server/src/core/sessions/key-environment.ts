import type { Settings } from '../../platform/settings/settings.js';

/** A development key, and every session it opened, works in the development environment only. */
export function isKeyAllowed(
  settings: Pick<Settings, 'environment'>,
  keyEnvironment: 'development' | 'production',
): boolean {
  return keyEnvironment === 'production' || settings.environment === 'development';
}
