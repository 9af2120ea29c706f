import type { Config } from '../../settings/settings.js';

/** A development key, and whatever session it opened, is worth something in the development environment only. */
export function isWelcome(
  config: Pick<Config, 'environment'>,
  keyEnvironment: 'development' | 'production',
): boolean {
  return keyEnvironment === 'production' || config.environment === 'development';
}
